package workshop

import (
	"bytes"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A reporter writes the report on a class in a language.
type reporter struct {
	*Server
	lang  string
	book  *prose.Book
	names bool // of participants
	b     strings.Builder
}

// report answers with the report on the class: what was asked and answered, by chapter, and
// the contest. Names are in it only if they are asked for.
func (s *Server) report(q *request) (any, error) {
	l := s.languageOf(q.FormValue("lang"))
	text := s.reportOn(l, q.FormValue("names") == "1")
	kind := "text/markdown; charset=utf-8"
	if q.FormValue("format") == "html" {
		var page bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(text), &page); err != nil {
			return nil, err
		}
		kind = "text/html; charset=utf-8"
		title := html.EscapeString(s.course.Title(l))
		text = `<!DOCTYPE html><html lang="` + l + `"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` + title + `</title><link rel="stylesheet" href="/style.css"><main class="report">` + page.String() + `</main></html>`
		q.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	q.w.Header().Set("Content-Type", kind)
	q.w.Header().Set("Cache-Control", "no-store")
	_, _ = q.w.Write([]byte(text)) // nobody reads it any more where the client has gone
	return nil, nil
}

func (s *Server) reportOn(l string, names bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &reporter{Server: s, lang: l, book: prose.Load(l), names: names}
	p.write()
	return p.b.String()
}

func (p *reporter) say(format string, args ...any) {
	p.b.WriteString(lang.New(format, args...).In(p.book.Language()))
}

func (p *reporter) write() {
	fmt.Fprintf(&p.b, "# %s\n\n", escaped(p.course.Title(p.lang)))
	p.say("%s: %d joined.", time.Now().Format("2006-01-02"), len(p.room.people))
	p.b.WriteString("\n")
	chapter := "\x00"
	for _, poll := range p.room.polls {
		if title := p.chapterOf(poll); title != chapter {
			chapter = title
			fmt.Fprintf(&p.b, "\n## %s\n", escaped(title))
		}
		p.poll(poll)
	}
	if c := p.room.contest; c != nil {
		fmt.Fprintf(&p.b, "\n## %s\n\n", escaped(p.titleOf(c.Level, p.lang)))
		p.say("%d solved it.", len(c.results))
		p.b.WriteString("\n\n")
		for _, row := range p.room.board() {
			who := "-"
			if p.names || c.By == "team" {
				who = escaped(row.Name)
			}
			fmt.Fprintf(&p.b, "%d. %s: %d\n", row.Rank, who, row.Steps)
		}
	}
}

// chapterOf is the chapter in which a question was asked, or its story, if that has a name.
func (p *reporter) chapterOf(poll *poll) string {
	if poll.Own {
		return p.in(lang.New("The trainer's own questions"))
	}
	if c := p.chapterAt(poll.Place); c != nil {
		return p.chapterTitle(c, p.lang)
	}
	if scenarios.IsLesson(poll.Place) {
		return p.in(lang.New("Stories that were handed in"))
	}
	return story(poll.Place)
}

func (p *reporter) in(m lang.Message) string { return m.In(p.book.Language()) }

func (p *reporter) poll(poll *poll) {
	text, counts := poll.said(p.lang), poll.counts()
	fmt.Fprintf(&p.b, "\n### %s\n\n", escaped(text.Question))
	if poll.Right != nil && len(poll.answers) > 0 {
		p.say("%d of %d right.", counts[*poll.Right], len(poll.answers))
	} else {
		p.say("%d answered.", len(poll.answers))
	}
	fmt.Fprintf(&p.b, "\n\n| %s | %s |\n|---|---:|\n", p.in(lang.New("answer")), p.in(lang.New("chosen")))
	for i, option := range text.Options {
		mark := ""
		if poll.Right != nil && *poll.Right == i {
			mark = " ✓"
		}
		fmt.Fprintf(&p.b, "| %s%s | %d |\n", escaped(option), mark, counts[i])
	}
	if !p.names {
		return
	}
	for i, option := range text.Options {
		var who []string
		for _, id := range slices.Sorted(maps.Keys(poll.answers)) {
			if person := p.room.people[id]; person != nil && poll.answers[id] == i {
				who = append(who, escaped(person.Name))
			}
		}
		if len(who) > 0 {
			fmt.Fprintf(&p.b, "\n%s: %s\n", escaped(option), strings.Join(who, ", "))
		}
	}
}

// escaped is a text without any meaning in Markdown or HTML.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|&~:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
