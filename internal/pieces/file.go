package pieces

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

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

// sum is the hash of all but itself.
func (r *Result) sum() string {
	rest := *r
	rest.Sum = ""
	text, err := rest.Encode()
	if err != nil {
		return ""
	}
	return cache.KeyOf(string(text)).String()
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
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	switch err := in.Decode(&r); {
	case err == io.EOF:
		return Result{}, lang.Errorf("it is empty")
	case err == io.ErrUnexpectedEOF:
		return Result{}, lang.Errorf("it ends too early, after %d bytes; run that part again", len(text))
	case err != nil:
		return Result{}, lang.Errorf("it is no result of a part: %w", err)
	}
	if _, err := in.Token(); err != io.EOF {
		return Result{}, lang.Errorf("it goes on after the result of a part; a file holds one")
	}
	if err := r.Piece.check(); err != nil {
		return Result{}, err
	}
	if err := r.checkCells(); err != nil {
		return Result{}, lang.Errorf("%v: %w", r.Name(), err)
	}
	if r.Sum == "" || r.Sum != r.sum() {
		return Result{}, lang.Errorf("%v: it has been changed since it was written; run that part again", r.Name())
	}
	return r, nil
}

// checkCells returns an error if the cells are not those of the piece.
func (r *Result) checkCells() error {
	ids := r.cells()
	if len(ids) != len(r.Cells) {
		return lang.Errorf("it has %d cells, not %d", len(r.Cells), len(ids))
	}
	for i := range ids {
		c := &r.Cells[i]
		if c.Lock != ids[i].lock || c.Hazard != ids[i].hazard {
			return lang.Errorf("cell %s is of %s under %s, not of %s under %s", strconv.Itoa(i+1), c.Lock, c.Hazard, ids[i].lock, ids[i].hazard)
		}
		what := r.Job.What
		if (c.Checked != nil) != (what == Check) || (c.Hunt != nil) != (what == Hunt) || (c.Report != nil) != (what != Check) {
			return lang.Errorf("%s, %s: it has not what a %s finds", c.Lock, c.Hazard, string(what))
		}
		if c.Report != nil {
			if err := c.Report.Check(); err != nil {
				return lang.Errorf("%s, %s: no search reports that", c.Lock, c.Hazard)
			}
		}
		if h := c.Hunt; h != nil {
			if len(h.Hits) != len(c.Report.Found) || min(h.Runs, h.Fewest, h.Cut, h.Undecided, h.Promise.Runs, h.Promise.Choices, h.Promise.Actors, h.Promise.Longest) < 0 {
				return lang.Errorf("%s, %s: no hunt reports that", c.Lock, c.Hazard)
			}
		}
	}
	return nil
}
