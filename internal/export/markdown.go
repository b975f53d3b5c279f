package export

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"lockstep/internal/lesson"
	"lockstep/tui/render"
)

// Markdown writes the lesson as a hand-out: captions, steps as tables,
// questions, and the answers on a last page.
func (l *Lesson) Markdown() ([]byte, error) {
	var m markdown
	m.lesson(l, 1, 0)
	m.pageBreak()
	m.answers(l, 2, 0)
	m.say("%s", l.text("replay_token")+": "+codeOf("lockstep replay "+l.Token()))
	m.say("%s", inMarkdown(l.text("export_made")))
	return m.bytes(), nil
}

// A markdown builds a text of paragraphs.
type markdown struct{ out strings.Builder }

func (m *markdown) bytes() []byte { return []byte(strings.TrimRight(m.out.String(), "\n") + "\n") }

// say adds a paragraph.
func (m *markdown) say(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n\n", args...) }

func (m *markdown) heading(level int, text string) {
	m.say("%s %s", strings.Repeat("#", min(level, 6)), inMarkdown(text))
}

// pageBreak begins a new page in print.
func (m *markdown) pageBreak() { m.say(`<div style="break-before: page"></div>`) }

// fact adds a labelled paragraph.
func (m *markdown) fact(l *Lesson, label, text string) {
	if text != "" {
		m.say("%s", l.book.Pair("**"+inMarkdown(label)+"**", inMarkdown(text)))
	}
}

// lesson writes a lesson below a heading and numbers its questions from asked+1.
func (m *markdown) lesson(l *Lesson, level, asked int) {
	m.heading(level, l.Title)
	m.fact(l, l.text("lock"), l.Lock)
	m.say("%s", l.book.Pair("**"+l.text("world")+"**", codeOf(l.History.Config.String())))
	if l.Before != "" {
		m.say("> %s", inMarkdown(l.Before))
	}
	for _, group := range l.Groups() {
		if caption := group[0].Caption; caption != "" {
			m.say("%s", inMarkdown(caption))
		}
		for _, q := range group[0].Questions {
			m.say("**%s %d.** %s", inMarkdown(l.text("question")), asked+q.N, inMarkdown(q.Ask))
			for _, c := range q.Choices {
				fmt.Fprintf(&m.out, "- [ ] %s\n", inMarkdown(c.Label))
			}
			m.out.WriteString("\n")
		}
		m.commands(l, group)
	}
	for _, s := range []string{l.After, l.labelled("consequence", l.Consequence)} {
		if s != "" {
			m.say("> %s", inMarkdown(s))
		}
	}
}

func (l *Lesson) labelled(id, text string) string {
	if text == "" {
		return ""
	}
	return l.book.Pair(l.text(id), text)
}

// commands writes the steps of some commands as a table, and below it their
// violations.
func (m *markdown) commands(l *Lesson, commands []Command) {
	if commands[0].From == commands[len(commands)-1].To {
		return
	}
	row := func(cells ...string) { m.out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := []string{"#", inMarkdown(l.text("time"))}, []string{"--:", "---"}
	for _, lane := range l.Lanes {
		head, rule = append(head, inMarkdown(lane.Name)), append(rule, ":-:")
	}
	row(append(head, inMarkdown(l.text("caption")))...)
	row(append(rule, "---")...)
	var broken []int
	for _, c := range commands {
		if l.Leads(c) {
			row(append(make([]string, len(l.Lanes)+2), join("**"+codeOf(c.Text)+"**", inMarkdown(c.Words)))...)
		}
		for i := c.From; i < c.To; i++ {
			row(l.markdownRow(i)...)
			broken = append(broken, l.Rows[i].Found...)
		}
	}
	m.out.WriteString("\n")
	for _, s := range l.StateAfter(commands) {
		var items []string
		for _, item := range s.Items {
			items = append(items, inMarkdown(item.Text))
		}
		m.say("*%s*", l.book.Pair(inMarkdown(s.Label), strings.Join(items, "; ")))
	}
	for _, n := range broken {
		m.violation(l, n)
	}
}

// signs show a client's belief in a lane without an event.
var signs = map[lesson.Hold]string{lesson.Held: "▰", lesson.AtWork: "▮", lesson.Wrongly: "✗", lesson.Unprotected: "▮"}

func (l *Lesson) markdownRow(i int) []string {
	s := l.Rows[i]
	cells := []string{strconv.Itoa(i + 1), inMarkdown(l.Time(i).String())}
	for lane, m := range s.Lanes {
		sign := map[lesson.Mark]string{lesson.Acts: "●", lesson.Hit: "◆", lesson.Faulted: "**!**"}[m]
		if of := l.Lanes[lane]; sign == "" && m != lesson.Gone && of.Main() {
			sign = signs[l.Rows[i].Now.Clients[of.Client-1].Hold]
		}
		cells = append(cells, sign)
	}
	text := inMarkdown(l.who(s))
	if s.Command != "" {
		text = codeOf(l.said(s))
	}
	if s.Source != "" {
		text += " " + codeOf(source(s))
	}
	for _, out := range l.output(s) {
		text += "<br>" + inMarkdown(out)
	}
	for _, n := range s.Found {
		text += "<br>**✗ " + inMarkdown(l.Violations[n].Says) + "**"
	}
	return append(cells, text)
}

// source is the line of code of a row.
func source(row lesson.Row) string { return strings.TrimPrefix(row.Source, "strategies/") }

func (m *markdown) violation(l *Lesson, n int) {
	v := &l.Violations[n]
	m.say("**✗ %s**, %s. **%s**", inMarkdown(v.Says), inMarkdown(l.nth(v.Step)), inMarkdown(v.Verdict))
	m.remarks(l, v.Happened())
	causes := v.Causes()
	for i, c := range causes {
		fmt.Fprintf(&m.out, "%d. %s\n", i+1, l.book.Pair("*"+inMarkdown(l.nth(l.step(c)))+"*", inMarkdown(c.Text)))
	}
	if len(causes) > 0 {
		m.out.WriteString("\n")
	}
	m.remarks(l, v.Rest())
}

func (m *markdown) remarks(l *Lesson, all lesson.Explanation) {
	for _, r := range all {
		m.fact(l, r.Label, r.Text)
	}
}

// answers writes the answers to a lesson's questions, numbered from asked+1.
func (m *markdown) answers(l *Lesson, level, asked int) {
	if len(l.Questions()) == 0 {
		return
	}
	m.heading(level, l.text("export_answers"))
	for _, q := range l.Questions() {
		m.say("**%s %d.** %s", inMarkdown(l.text("question")), asked+q.N, inMarkdown(q.Ask))
		m.say("**%s**", inMarkdown(q.Solution()))
		for _, p := range q.Reasons() {
			m.fact(l, p.Label, p.Text)
		}
	}
}

// inMarkdown escapes a text for one line of Markdown, also in a table.
func inMarkdown(text string) string {
	text = oneLine(text)
	var out strings.Builder
	runes := []rune(text)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		switch {
		case strings.ContainsRune("\\`*[]<&|~$@{}", r),
			r == '_' && !(word(i-1) && word(i+1)),
			r == ':' && i+1 < len(runes) && runes[i+1] == '/', // no automatic link
			r == '.' && i >= 3 && strings.EqualFold(string(runes[i-3:i]), "www"),
			i == 0 && strings.ContainsRune("#>-+=", r),
			(r == '.' || r == ')') && i > 0 && allDigits(runes[:i]):
			out.WriteRune('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func allDigits(runes []rune) bool {
	for _, r := range runes {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
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
