package files

import (
	"bytes"
	"errors"
	"sync"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"lockstep/internal/lang"
)

// A TOML is a file that was read.
type TOML struct {
	name   string
	text   []byte
	places func() map[string]int // of each key's value, by its path: an offset; for errors only
}

// ReadTOML decodes a file into a pointer to a struct or a map. The error is a
// *lang.Placed, or several of them joined.
func ReadTOML(name string, text []byte, into any) (*TOML, error) {
	return decode(name, text, into, true)
}

// PeekTOML is ReadTOML, but accepts unknown keys.
func PeekTOML(name string, text []byte, into any) (*TOML, error) {
	return decode(name, text, into, false)
}

// maxUnknown bounds the unknown keys in an error.
const maxUnknown = 20

func decode(name string, text []byte, into any, all bool) (*TOML, error) {
	f := &TOML{name: name, text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	if !utf8.Valid(f.text) {
		return f, f.fail(0, lang.Errorf("the file is not UTF-8 text"))
	}
	if at, tooMany := tooMany(f.text); tooMany {
		return f, f.fail(at, lang.Errorf("the file has more than %d keys and tables, and no more fit", maxKeys))
	}
	d := toml.NewDecoder(bytes.NewReader(f.text))
	if all {
		d.DisallowUnknownFields()
	}
	err := d.Decode(into)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var all []error
		for i := range unknown.Errors[:min(len(unknown.Errors), maxUnknown)] {
			all = append(all, f.unknown(&unknown.Errors[i], into))
		}
		return f, errors.Join(all...)
	case errors.As(err, &wrong):
		return f, f.wrong(wrong, into)
	case err != nil:
		return f, f.fail(0, err)
	}
	f.places = sync.OnceValue(func() map[string]int { return places(f.text) })
	return f, nil
}

// At adds the place of a value to an error. The path is such as
// "chapter[2].lock"; for a missing key it is the table's. An unknown path means
// the beginning of the file.
func (f *TOML) At(path string, err error) error {
	if f.places == nil { // it was not read
		return f.fail(0, err)
	}
	return f.fail(f.places()[path], err)
}

func (f *TOML) fail(offset int, err error) error {
	before := f.text[:min(offset, len(f.text))]
	line := bytes.Count(before, []byte("\n"))
	start := bytes.LastIndexByte(before, '\n') + 1
	return &lang.Placed{Path: f.name, Line: line + 1, Col: utf8.RuneCount(before[start:]) + 1, Err: err}
}

// offset is the offset of a library's error.
func (f *TOML) offset(err *toml.DecodeError) int {
	line, col := err.Position()
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(f.text[offset:], '\n') + 1
	}
	return offset + col - 1
}
