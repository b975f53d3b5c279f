package workshop

import (
	"embed"
	"math/rand/v2"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The bounds of a name, in runes.
const (
	maxName  = 40
	maxTitle = 80
	maxMarks = 2 // combining marks in a row
)

// inventions has a file of names for each language. A name has a part of each line.
//
//go:embed names.*.txt
var inventions embed.FS

// invent invents a name in a language.
func invent(lang string) (name string) {
	text, _ := inventions.ReadFile("names." + lang + ".txt")
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		name += parts[rand.IntN(len(parts))]
	}
	return name
}

// clean is what may be shown of a text that somebody has typed: one line of at most so
// many runes, without what is invisible or changes the direction of writing. A joiner stays
// where scripts and emoji need it: one, between two signs, and not after a Latin letter.
func clean(text string, most int) string {
	var b strings.Builder
	n, marks, space := 0, 0, false
	var before, joiner rune
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, "")) {
		if n >= most {
			break
		}
		switch {
		case unicode.IsSpace(r):
			space = n > 0
			continue
		case unicode.Is(unicode.Join_Control, r):
			joiner = r
			continue
		case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800': // fillers, and Braille without a dot
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; n == 0 || marks > maxMarks {
				continue
			}
		case !unicode.IsGraphic(r):
			continue
		default:
			marks = 0
		}
		if space {
			b.WriteByte(' ')
			n++
		} else if joiner != 0 && before > unicode.MaxLatin1 {
			b.WriteRune(joiner)
			n++
		}
		space, before, joiner = false, r, 0
		b.WriteRune(r)
		n++
	}
	return norm.NFC.String(b.String()) // what was left out may have parted a sign from its mark
}
