package export

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"unicode"

	"lockstep/internal/course"
	"lockstep/internal/lesson"
	"lockstep/internal/phrase"
	"lockstep/internal/prose"
	"lockstep/tui/render"
)

//go:embed page/hand_out.md
var handOut string

// Markdown writes the lesson as a hand-out: captions, steps as tables, questions, and the
// answers on a last page.
func (l *Lesson) Markdown() ([]byte, error) { return inHandOut(l.book, sheet{Lesson: l.view("")}) }

// inHandOut fills the hand-out with the texts of a language.
func inHandOut(b *prose.Book, s sheet) ([]byte, error) {
	own := map[string]any{
		"text": b.Text, "pair": b.Pair, "who": (*Lesson).who,
		"code": func(text string) phrase.HTML { return phrase.HTML(codeOf(text)) },
		"fact": func(label, text string) phrase.HTML {
			return phrase.HTML(b.Pair("**"+inMarkdown(label)+"**", inMarkdown(text)))
		},
		"world": func(l *Lesson) phrase.HTML {
			return phrase.HTML(b.Pair("**"+b.Text("world")+"**", codeOf(l.History.Config.String())))
		},
		"state": func(s stateView) phrase.HTML {
			var items []string
			for _, item := range s.Items {
				items = append(items, inMarkdown(item.Text))
			}
			return phrase.HTML(b.Pair(inMarkdown(s.Label), strings.Join(items, "; ")))
		},
		"cause": func(c causeView) phrase.HTML {
			return phrase.HTML(b.Pair("*"+inMarkdown(c.At)+"*", inMarkdown(c.Text)))
		},
		"number":  func(l *lessonView, q Question) int { return l.Asked + q.N },
		"plays":   func(group []Command) bool { return group[0].From < group[len(group)-1].To },
		"blocks":  func(text string) phrase.HTML { return after(course.Markup(text), "") },
		"passage": func(p Passage) phrase.HTML { return passage(b, p) },
	}
	maps.Copy(own, shared)
	text, err := phrase.NewPage("hand-out", handOut, inMarkdown, own).Fill(s)
	return []byte(strings.TrimRight(text, "\n") + "\n"), err
}

// signs show a client's belief in a lane without an event.
var signs = map[lesson.Hold]string{lesson.Held: "▰", lesson.AtWork: "▮", lesson.Wrongly: "✗", lesson.Unprotected: "▮"}

// source is the line of code of a row.
func source(row lesson.Row) string { return strings.TrimPrefix(row.Source, "strategies/") }

// inMarkdown escapes a text for one line of Markdown, also in a table.
func inMarkdown(text string) string {
	text = oneLine(text)
	var out strings.Builder
	runes := []rune(text)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	digits := slices.IndexFunc(runes, func(r rune) bool { return !unicode.IsDigit(r) }) // how many it begins with
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\`*[]<&|~$@{}", r),
			r == '_' && !(word(i-1) && word(i+1)),
			r == ':' && i+1 < len(runes) && runes[i+1] == '/', // no automatic link
			r == '.' && i >= 3 && strings.EqualFold(string(runes[i-3:i]), "www"),
			i == 0 && strings.ContainsRune("#>-+=", r),
			(r == '.' || r == ')') && i > 0 && i == digits:
			out.WriteRune('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// codeOf quotes a text as code, also in a table: between more backticks than it
// contains.
func codeOf(text string) string {
	text = strings.ReplaceAll(oneLine(text), "|", `\|`)
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || text == "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// oneLine drops invisible characters and line ends.
func oneLine(text string) string {
	return strings.TrimSpace(render.Plain(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\u2028", " ", "\u2029", " ").Replace(text)))
}
