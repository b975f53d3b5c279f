package scenarios

import (
	"fmt"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// This file is how lines of transcripts are written: as stories have them, in
// English and in columns, and for a person to read.

// sourceColumn is where the strategy's file and line stand in a story.
const sourceColumn = 60

// written is a line as stories have it.
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

// Verdict writes a violation on one line, as stories have it.
func Verdict(v history.Violation) string { return VerdictIn(english(), v) }

// VerdictIn is the same in a language.
func VerdictIn(b *prose.Book, v history.Violation) string {
	return b.Verdict(v.Invariant, Violation(b, v))
}

// Violation says in one sentence who broke an invariant, and how.
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
