package render

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// Plain makes foreign text safe for a terminal: it drops control characters and
// invisible ones, and replaces tabs by spaces.
func Plain(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return s // the usual case, and quickly told
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
}

// Width returns how many cells a text takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s) // the usual case, and quickly told
}

// Fit makes a plain text exactly w cells wide.
func Fit(s string, w int) string {
	s = Trim(s, w)
	return s + strings.Repeat(" ", max(0, w-Width(s)))
}

// Trim makes a plain text at most w cells wide.
func Trim(s string, w int) string {
	s = Plain(s)
	if Width(s) <= w {
		return s
	}
	if w < 2*len(cut) {
		return ansi.Truncate(s, max(0, w), "")
	}
	return ansi.Truncate(s, w, cut)
}

// leastWords is the least width of a step's text before its result.
const leastWords = 8

// trimMiddle makes a step's text at most w cells wide. It cuts the result, behind the
// arrow, only when the rest is as short as leastWords.
func trimMiddle(s string, w int) string {
	s = Plain(s)
	at := strings.LastIndex(s, arrow)
	if Width(s) <= w || at < 0 || w < 2*leastWords {
		return Trim(s, w)
	}
	did := Trim(s[:at], max(leastWords, w-Width(s[at:])))
	return did + Trim(s[at:], w-Width(did))
}

// arrow precedes the result of a step.
const arrow = " -> "

// unbroken is a hyphen at which no line breaks. Hyphens are part of names (set-del)
// and of flags (--walk), which readers have to type as they are.
const unbroken = "\u2011"

// Wrap breaks a plain text into lines of at most w cells.
func Wrap(s string, w int) Lines { return Normal.Wrap(s, w) }

// WrapText is Wrap for plain strings.
func WrapText(s string, w int) []string {
	s = strings.TrimSpace(Plain(s))
	if s == "" || w <= 0 {
		return nil
	}
	s = strings.ReplaceAll(s, "-", unbroken)
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		lines = wrapHan(s, w)
	}
	for i, line := range lines {
		lines[i] = Trim(strings.ReplaceAll(strings.TrimRight(line, " "), unbroken, "-"), w)
	}
	return lines
}

// wrapHan wraps text without blanks between words: it breaks where Unicode allows it
// (UAX #14), so not before a full stop.
func wrapHan(s string, w int) []string {
	var lines []string
	line, state := "", -1
	for s != "" {
		var segment string
		segment, s, _, state = uniseg.FirstLineSegmentInString(s, state)
		if line != "" && Width(line+strings.TrimRight(segment, " ")) > w {
			lines, line = append(lines, line), ""
		}
		line += segment
		if Width(strings.TrimRight(line, " ")) > w { // one segment is too long
			hard := strings.Split(ansi.Hardwrap(line, w, false), "\n")
			lines, line = append(lines, hard[:len(hard)-1]...), hard[len(hard)-1]
		}
	}
	return append(lines, line)
}

// Ends puts one plain text at the left and another at the right end of w cells. It
// shortens the right one if needed.
func Ends(left, right string, w int) (string, string) {
	left = Trim(left, w)
	room := w - Width(left) - 2
	if room < 4 {
		return Fit(left, w), ""
	}
	right = Trim(right, room)
	return Fit(left, w-Width(right)), right
}
