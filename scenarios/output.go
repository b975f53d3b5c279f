package scenarios

import (
	"cmp"
	"fmt"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// This file writes lines of transcripts: in English and in columns for stories,
// and without columns for readers.

// sourceColumn is the column of the source line in a story.
const sourceColumn = 60

// written is a line as a story contains it.
func written(l history.Line) string {
	text := said(english(), l)
	if !l.Apart {
		text = fmt.Sprintf("%-4s %s", l.Who, text)
	}
	if l.Source != "" {
		text = fmt.Sprintf("%-*s %s", sourceColumn, text, l.Source)
	}
	return text
}

// Aloud is a line without columns.
func Aloud(b *prose.Book, l history.Line) string {
	text := said(b, l)
	if l.Who != "" {
		text = l.Who + " " + text
	}
	if l.Source != "" {
		text = b.With(text, l.Source)
	}
	return text
}

func said(b *prose.Book, l history.Line) string {
	switch {
	case l.Broken == nil:
		return l.Text.In(b.Language())
	case l.Times > 1:
		return lang.New("%s (%d times)", VerdictIn(b, *l.Broken), l.Times).In(b.Language())
	}
	return VerdictIn(b, *l.Broken)
}

// Verdict writes a violation on one line, as a story contains it.
func Verdict(v history.Violation) string { return VerdictIn(english(), v) }

// VerdictIn is Verdict in a language.
func VerdictIn(b *prose.Book, v history.Violation) string {
	return b.Verdict(v.Invariant, Violation(b, v))
}

// Violation says in one sentence who violated an invariant, and how.
func Violation(b *prose.Book, v history.Violation) string {
	return b.Violation(v.Prose(), prose.ViolationFacts{Client: v.Client, Other: v.Other, Key: v.Key, Detail: v.Detail.In(b.Language())})
}

// english is the language of stories.
func english() *prose.Book {
	b, err := prose.Load("en")
	if err != nil {
		return &prose.Book{} // the prose package's own test shows why
	}
	return b
}

// Caption is the step's caption or, without one, its command in words.
func (s *Step) Caption(b *prose.Book, language string) string {
	if text := s.Captions[language]; text != "" {
		return text
	}
	if text := s.Captions["en"]; text != "" {
		return text
	}
	return s.words(b)
}

// words describes a command in a sentence; "" for world.
func (s *Step) words(b *prose.Book) string {
	switch s.name {
	case "world":
		return ""
	case "run":
		who := history.StrandName(s.client, s.strand)
		if s.length > 0 {
			return b.Fill("say_run_for", prose.TextFacts{Said: who, What: s.length.String()})
		}
		return b.Fill("say_run_"+string(s.until.kind), prose.TextFacts{Said: who, What: cmp.Or(b.Text("moment_"+s.until.what), s.until.what)})
	case "replay":
		return b.Fill("say_replay", prose.TextFacts{What: s.against})
	case "keys", "check":
		return b.Text("say_" + s.name)
	}
	if s.expiry() {
		return b.Text("say_advance_expiry")
	}
	return s.happening(b)
}

// happening describes a fault of one or several; without a sentence of its own,
// as in the list of moves.
func (s *Step) happening(b *prose.Book) string {
	facts := prose.TextFacts{What: strings.TrimPrefix(s.how(), "rate=")}
	for i, list := range s.concerned() {
		if i == 0 {
			facts.Said = lang.Names(list).In(b.Language())
		} else { // a link between a client and a node
			facts.What = lang.Names(list).In(b.Language())
		}
	}
	verb := string(s.acts[0].Verb)
	if text := b.Fill("say_"+verb, facts); text != "" {
		return text
	}
	return b.Fill("say_move", prose.TextFacts{Said: facts.Said, What: b.Fill("move_"+verb, prose.TextFacts{What: facts.What})})
}
