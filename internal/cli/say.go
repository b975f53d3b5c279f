package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/tui"
)

// say prints a line to stdout. run reports failed writes when it flushes.
func (a *app) say(format string, args ...any) {
	_, _ = a.out.WriteString(clean(a.in(lang.New(format, args...))) + "\n")
}

// confirms prints a question and reports whether a line that is read says yes.
func (a *app) confirms(question lang.Message) bool {
	_, _ = a.out.WriteString(clean(a.in(question)) + " ")
	_ = a.out.Flush() // what is not shown is not answered
	line, _ := bufio.NewReader(a.stdin).ReadString('\n')
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}

// complain prints a message or an error to stderr, on one line.
func (a *app) complain(what any) {
	lines := strings.FieldsFunc(a.in(what), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = history.Brief(lines[i])
	}
	_, _ = fmt.Fprintf(a.stderr, "lockstep: %s\n", clean(strings.Join(lines, "; "))) // there is nobody left to tell
}

// object prints a value as JSON, on one line if there is no indent.
func (a *app) object(v any, indent string) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return cmp.Or(enc.Encode(v), a.out.Flush())
}

// in translates into the language of the command line, or into English before
// that is known.
func (a *app) in(what any) string {
	if a.book == nil {
		return lang.In(nil, what)
	}
	return lang.In(a.book.Language(), what)
}

// fact prints a labelled line, unless the text is empty.
func (a *app) fact(label, text string) {
	if text != "" {
		a.say("%s: %s", label, text)
	}
}

// clean replaces characters in foreign text that control a terminal or the
// direction of text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// progressLine replaces the progress on stderr if that is a terminal, ten times a
// second at most.
func (a *app) progressLine(m lang.Message) {
	a.progressBelow(func() []string { return nil }, m)
}

// progressBelow is progressLine below other lines: as many of these, from the last, as the
// terminal has room for.
func (a *app) progressBelow(lines func() []string, m lang.Message) {
	if !a.showing.TryLock() {
		return
	}
	defer a.showing.Unlock()
	if now := time.Now(); isTerminal(a.stderr) && now.Sub(a.progressAt) > time.Second/10 {
		width, height := tui.SizeOf(a.stderr)
		above := lines()
		above = above[max(0, len(above)-max(0, height-2)):]
		var b strings.Builder
		b.WriteString(a.toProgress())
		for _, line := range above {
			b.WriteString(fitted(line, width) + "\x1b[K\n")
		}
		b.WriteString(fitted(a.in(m), width) + "\x1b[K")
		a.progressAt, a.progressAbove = now, len(above)
		_, _ = a.stderr.Write([]byte(b.String()))
	}
}

// toProgress moves a terminal's cursor to the beginning of the progress.
func (a *app) toProgress() string {
	if a.progressAbove > 0 {
		return fmt.Sprintf("\r\x1b[%dA", a.progressAbove)
	}
	return "\r"
}

// working shows on stderr, if that is a terminal, what goes on and for how long, until
// end is called. now says what goes on next.
func (a *app) working(m lang.Message) (now func(lang.Message), end func()) {
	if !isTerminal(a.stderr) {
		return func(lang.Message) {}, func() {}
	}
	next, stop, stopped := make(chan lang.Message), make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		begun, tick := time.Now(), time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			a.progressLine(lang.New("%v, %d s", m, int(time.Since(begun).Seconds())))
			select {
			case m = <-next:
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func(m lang.Message) { next <- m }, func() { close(stop); <-stopped; a.eraseProgress() }
}

// fitted cuts a line to the width of a terminal, if it is known: what goes on in a
// second line cannot be erased. The last column stays free, where some terminals wrap.
func fitted(line string, width int) string {
	if width == 0 {
		return line
	}
	return ansi.Truncate(line, width-1, "")
}

// eraseProgress removes the progress, if there is any.
func (a *app) eraseProgress() {
	if !a.progressAt.IsZero() {
		_, _ = fmt.Fprint(a.stderr, a.toProgress()+"\x1b[J")
		a.progressAt, a.progressAbove = time.Time{}, 0
	}
}
