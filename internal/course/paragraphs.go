package course

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// paragraphs joins the lines of paragraphs, which blank lines separate, and of
// list items, which begin with "- ".
func paragraphs(text string) string {
	var out strings.Builder
	joined := "" // the current line
	end := func(with string) {
		if joined != "" {
			out.WriteString(joined + with)
		}
		joined = ""
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			end("\n\n")
		case strings.HasPrefix(line, "- "):
			end("\n")
			joined = line
		case joined != "" && blanks(joined, line):
			joined += " " + line
		default:
			joined += line
		}
	}
	end("")
	return out.String()
}

// blanks reports whether two joined lines need a blank between them. Chinese on
// both sides, and full-width punctuation, need none.
func blanks(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return !(isWide(last) && isWide(first)) && !isWidePunct(last) && !isWidePunct(first)
}

func isWide(r rune) bool { return unicode.Is(unicode.Han, r) || isWidePunct(r) }

func isWidePunct(r rune) bool { return r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef }
