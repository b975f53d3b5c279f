package history

import (
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

// Briefly is an error that says what another one does, shortened.
type Briefly struct{ Err error }

func (b Briefly) Error() string { return b.In(nil) }

// Unwrap returns the error that says it in full.
func (b Briefly) Unwrap() error { return b.Err }

// In says it in a language.
func (b Briefly) In(l lang.Language) string { return Brief(lang.In(l, b.Err)) }
