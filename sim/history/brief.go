package history

import "strings"

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
