package pieces

import (
	"bytes"
	"encoding/json"
	"io"

	"lockstep/internal/cache"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// maxFile bounds what is read, in bytes.
const maxFile = 64 << 20

// Encode returns a result as it is in a file: a line of JSON.
func (r *Result) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return b.Bytes(), err
}

func (r Result) sum() cache.Key {
	r.Sum = ""
	return cache.SumOf(r)
}

// Read reads a result from a file.
func Read(name string) (Result, error) {
	text, err := files.Read(name, maxFile)
	if err != nil {
		return Result{}, err
	}
	return Decode(text)
}

// Decode reads what Encode wrote, and refuses all else.
func Decode(text []byte) (r Result, err error) {
	var of struct{ Schema *int } // before the fields, of which another form has others
	if json.Unmarshal(text, &of) == nil && of.Schema != nil {
		if err := known(*of.Schema); err != nil {
			return Result{}, err
		}
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	switch err := in.Decode(&r); {
	case err == io.EOF:
		return Result{}, lang.Errorf("it is empty")
	case err == io.ErrUnexpectedEOF:
		return Result{}, lang.Errorf("it ends too early, after %d bytes; run that part again", len(text))
	case err != nil:
		return Result{}, lang.Errorf("it is not the result of a part: %w", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return Result{}, lang.Errorf("it goes on after the result of a part; a file holds one")
	}
	if err := r.Piece.check(); err != nil {
		return Result{}, err
	}
	if r.Sum == "" || r.Sum != r.sum() {
		return Result{}, lang.Errorf("%v: it has been changed since it was written; run that part again", r.Name())
	}
	return r, nil
}
