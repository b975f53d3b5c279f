package cli

import (
	"fmt"
	"strings"
	"unicode"
)

// say prints one line of data. A failed write shows when run flushes.
func (a *app) say(format string, args ...any) {
	_, _ = a.out.WriteString(clean(fmt.Sprintf(format, args...)) + "\n")
}

// fact prints what something is, unless there is nothing to say.
func (a *app) fact(label, text string) {
	if text != "" {
		a.say("%s: %s", label, text)
	}
}

// clean makes text of others fit for a terminal: what would move its cursor or
// turn its lines around is shown as a replacement character.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func pad(line int) string { return fmt.Sprintf("%4d", line) }
