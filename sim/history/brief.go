package history

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// How much of a long text Brief keeps, in bytes.
const (
	briefHead = 600
	briefTail = 300
)

// Brief shortens a long text to its beginning and its end. What an error says
// goes through it where it quotes its input, which may be of any length: the
// beginning says where the mistake is, and the end what would fit.
func Brief(text string) string {
	if len(text) <= briefHead+briefTail {
		return text
	}
	return strings.ToValidUTF8(text[:briefHead], "") + " ... " + strings.ToValidUTF8(text[len(text)-briefTail:], "")
}

// quoted is a value that nobody can print, as events have it.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*\\x(?:[^"\\]|\\.)*"`)

// Terse shows values that nobody can print by their first bytes, a sum of all and their length,
// in a text for a reader: equal ones look alike, and others do not.
func Terse(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(q string) string {
		raw, err := strconv.Unquote(q)
		if err != nil || len(raw) < 8 {
			return q
		}
		return fmt.Sprintf("%x...#%08x(%dB)", raw[:4], crc32.ChecksumIEEE([]byte(raw)), len(raw))
	})
}

// InTerse is a message with such values shown short.
func InTerse(m lang.Message) lang.Message {
	if m.None() {
		return m
	}
	return lang.New("%s", terse{m})
}

type terse struct{ lang.Sayer }

func (t terse) In(l lang.Language) string { return Terse(t.Sayer.In(l)) }

// Briefly is an error that says what another one does, shortened.
type Briefly struct{ Err error }

func (b Briefly) Error() string { return b.In(nil) }

// Unwrap returns the error that says it in full.
func (b Briefly) Unwrap() error { return b.Err }

// In says it in a language.
func (b Briefly) In(l lang.Language) string { return Brief(lang.In(l, b.Err)) }
