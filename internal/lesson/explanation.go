package lesson

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// An Explanation is the account of a violation in words, in reading order.
type Explanation []Remark

// A Remark is one sentence of an explanation, with its label.
type Remark struct {
	Kind Kind
	Part
	Seq int // the event that it is about; -1 for none
}

// Kind says what a remark is about.
type Kind byte

// The kinds of remarks.
const (
	Happened Kind = iota
	Trouble       // why the causes are not known
	Why           // one for each cause of the account
	Rests         // what replays have shown about the causes
	Code          // what the lock's code did, whatever the schedule
	Cost
	Saved // one for each remedy of the account
)

// Explain puts an account into words; err is the error that came with it.
func Explain(b *prose.Book, a explain.Account, err error) Explanation {
	var out Explanation
	add := func(kind Kind, label, text string, seq int) {
		if text != "" {
			out = append(out, Remark{kind, Part{Label: b.Text(label), Text: history.Terse(text)}, seq})
		}
	}
	add(Happened, "happened", a.Happened.Text(b), a.Happened.Seq)
	if err != nil {
		add(Trouble, "why", b.Fill("why_unknown", prose.TextFacts{What: lang.In(b.Language(), err)}), -1)
	}
	for i, s := range a.Why {
		text := s.Text(b)
		if a.Causes[i].Either {
			text = b.Pair(b.Text("either"), text)
		}
		add(Why, "why", text, s.Seq)
	}
	for _, id := range a.Rests() {
		who := a.Happened.Facts.Client
		if a.Happened.ID == "orphan" { // nobody in particular
			who = ""
		}
		add(Rests, "why", b.Gap(id, who), -1)
	}
	for _, s := range a.Code {
		add(Code, "code", s.Text(b), s.Seq)
	}
	add(Cost, "cost", a.Cost.Text(b), a.Cost.Seq)
	for _, s := range a.Saved {
		add(Saved, "saved", s.Text(b), s.Seq)
	}
	return out
}

// Only keeps remarks of some kinds.
func (e Explanation) Only(kinds ...Kind) (out Explanation) {
	for _, r := range e {
		if slices.Contains(kinds, r.Kind) {
			out = append(out, r)
		}
	}
	return out
}

// A Part is a labelled passage of a card.
type Part struct{ Label, Text string }
