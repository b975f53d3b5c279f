package cli

import (
	"fmt"
	"strings"
	"unicode"

	"lockstep/internal/lang"
)

// say prints one line of data. A failed write shows when run flushes.
func (a *app) say(format string, args ...any) {
	_, _ = a.out.WriteString(clean(a.in(lang.New(format, args...))) + "\n")
}

// in says something in the language of the command line, in English before that is
// known.
func (a *app) in(what any) string {
	if a.book == nil {
		return lang.In(nil, what)
	}
	return lang.In(a.book.Language(), what)
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

// progressLine says on stderr how far something is, in place of what it said before.
func (a *app) progressLine(m lang.Message) { _, _ = fmt.Fprintf(a.stderr, "\r%s\x1b[K", a.in(m)) }

func (a *app) eraseProgress() { _, _ = fmt.Fprint(a.stderr, "\r\x1b[K") }

func pad(line int) string { return fmt.Sprintf("%4d", line) }
