package scenarios

import (
	"cmp"
	"fmt"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// sourceColumn is where a story shows the strategy's file and line.
const sourceColumn = 60

// written is a line of output as a story shows it: English, in columns.
func written(l history.Line) string {
	text := lineText(english(), l)
	if !l.Apart {
		text = fmt.Sprintf("%-4s %s", l.Who, text)
	}
	if l.Source != "" {
		text = fmt.Sprintf("%-*s %s", sourceColumn, text, l.Source)
	}
	return text
}

// PlainLine is a line without columns, in a language.
func PlainLine(b *prose.Book, l history.Line) string {
	text := history.Terse(lineText(b, l))
	if l.Who != "" {
		text = l.Who + " " + text
	}
	if l.Source != "" {
		text = b.With(text, l.Source)
	}
	return text
}

func lineText(b *prose.Book, l history.Line) string {
	switch {
	case l.Broken == nil:
		return l.Text.In(b.Language())
	case l.Times > 1:
		return lang.New("%s (%d times)", verdict(b, *l.Broken), l.Times).In(b.Language())
	}
	return verdict(b, *l.Broken)
}

// Verdict writes a violation on one line, as stories show it.
func Verdict(v history.Violation) string { return verdict(english(), v) }

func verdict(b *prose.Book, v history.Violation) string {
	return b.Verdict(v.Invariant, violation(b, v))
}

// VerdictIn is Verdict for a reader, in a language.
func VerdictIn(b *prose.Book, v history.Violation) string { return history.Terse(verdict(b, v)) }

// Violation says in one sentence who violated an invariant, and how.
func Violation(b *prose.Book, v history.Violation) string { return history.Terse(violation(b, v)) }

func violation(b *prose.Book, v history.Violation) string {
	return b.Violation(v.Prose(), prose.ViolationFacts{Client: v.Client, Other: v.Other, Key: v.Key, Store: history.StoreOf(v.Key), Detail: v.Detail.In(b.Language())})
}

func english() *prose.Book { return prose.Load("en") }

// Caption is the story's text about a step or, if it has none, the command as a
// sentence.
func (s *Step) Caption(b *prose.Book, language string) string {
	if text := cmp.Or(s.Captions[language], s.Captions["en"]); text != "" {
		return text
	}
	return s.sentence(b)
}

// sentence is a command as a sentence; "" for the world line.
func (s *Step) sentence(b *prose.Book) string {
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
		return b.Gap("say_replay", s.against)
	case "keys", "check":
		return b.Gap("say_"+s.name, b.Names(s.only...))
	}
	if s.expiry() {
		return b.Text("say_advance_expiry")
	}
	return s.actionSentence(b)
}

// actionSentence describes the actions of a command. A verb without a sentence of its own
// uses the one from the list of moves.
func (s *Step) actionSentence(b *prose.Book) string {
	facts := prose.TextFacts{What: strings.TrimPrefix(s.how(), "rate=")}
	for i, list := range s.targets() {
		if i == 0 {
			facts.Said = lang.Names(list).In(b.Language())
		} else { // a link: the clients, then the nodes
			facts.What = lang.Names(list).In(b.Language())
		}
	}
	verb := string(s.acts[0].Verb)
	if text := b.Fill("say_"+verb, facts); text != "" {
		return text
	}
	return b.Fill("say_move", prose.TextFacts{Said: facts.Said, What: b.Fill("move_"+verb, prose.TextFacts{What: facts.What})})
}
