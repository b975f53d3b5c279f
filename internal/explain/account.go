package explain

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// An Account is what is told of one violation. Everything in it comes from this
// run, or from one that was played to find it out.
type Account struct {
	Happened Sentence
	Why      []Sentence // one for each cause, in their order
	Code     []Sentence // what the code of the lock did about it by itself
	Cost     Sentence
	Saved    []Sentence // one for each remedy
	Causes   []Cause
	Remedies []Remedy
	IfOnly   []IfOnly
}

// A Sentence is one of prose, with what it speaks of.
type Sentence struct {
	ID    string // see prose.Book.Say; "" for none
	Facts prose.Facts
	Shown lang.Message // see prose.Facts
	Seq   int          // the event that it tells of; -1 for none of the run
	About []int        // all events that its facts come from
}

// Text writes the sentence; "" for none.
func (s Sentence) Text(b *prose.Book) string {
	if s.ID == "" {
		return ""
	}
	f := s.Facts
	f.Shown = s.Shown.In(b.Language())
	return b.Say(s.ID, f)
}

// Tell plays the run again, up to where v is known, once for everything that may be
// left out of it, and says what v depends on, and what would have saved the run:
// longer leases, or another lock. With an error it still says what happened. An end
// of ctx is one of waiting for code that is stuck. The error is ErrTooLong if the
// run has too many steps.
func (r *Run) Tell(ctx context.Context, v history.Violation) (Account, error) {
	t := &teller{h: r.history, v: v}
	if v.FromTheStart() {
		return Account{Happened: t.say("never", prose.Facts{Key: v.Key}), Cost: t.say("cost-never", prose.Facts{})}, nil
	}
	a := Account{Happened: t.happened(), Cost: t.cost()}
	f, err := r.finder(ctx, v)
	if err != nil {
		return a, err
	}
	if a.Causes, err = f.find(); err != nil {
		return a, err
	}
	if a.Remedies, err = f.remedies(a.Causes); err != nil {
		return a, err
	}
	for _, c := range a.Causes {
		a.Why = append(a.Why, t.cause(c))
	}
	a.Code = t.code(len(a.Causes) == 0)
	for _, r := range a.Remedies {
		a.Saved = append(a.Saved, t.saved(r))
	}
	a.IfOnly, err = f.ifOnly(t, a)
	return a, err
}

// Rests names the texts of prose that say what replays have shown about the
// causes: that without one, or any one of several, or both of two it does not happen.
func (a Account) Rests() (texts []string) {
	alone, pair := 0, false
	for _, c := range a.Causes {
		if c.Either {
			pair = true
		} else {
			alone++
		}
	}
	switch {
	case alone == 1:
		texts = append(texts, "without_one")
	case alone > 1:
		texts = append(texts, "without_any")
	}
	if pair {
		texts = append(texts, "without_both")
	}
	return texts
}

// A teller finds the facts of a run for the sentences about a violation.
type teller struct {
	h history.History
	v history.Violation
}

// say makes a sentence about events, of which the first is what it tells of.
func (t *teller) say(id string, f prose.Facts, about ...int) Sentence {
	s := Sentence{ID: id, Facts: f, Seq: -1, About: about}
	if len(about) > 0 {
		s.Seq = about[0]
	}
	return s
}

// harm is the event at which the violation is known.
func (t *teller) harm() history.Event { return t.h.Events[t.v.Seq] }

// last is the latest event before another one that is as wanted; ok is false if
// there is none.
func (t *teller) last(before int, is func(history.Event) bool) (e history.Event, ok bool) {
	for i := before - 1; i >= 0; i-- {
		if is(t.h.Events[i]) {
			return t.h.Events[i], true
		}
	}
	return e, false
}

// next is the same after an event.
func (t *teller) next(after int, is func(history.Event) bool) (e history.Event, ok bool) {
	for _, e := range t.h.Events[after+1:] {
		if is(e) {
			return e, true
		}
	}
	return e, false
}

// at is the run as the monitor sees it before an event.
func (t *teller) at(seq int) *history.Monitor {
	m := history.NewMonitor(t.h.Config, t.h.Nodes)
	for _, e := range t.h.Events[:seq] {
		m.Observe(e)
	}
	return m
}

// change is what an event did to the lock's key; nil for nothing.
func (t *teller) change(e history.Event) *history.Change {
	i := slices.IndexFunc(e.Changes, func(c history.Change) bool { return c.Key == t.h.Config.Key() })
	if i < 0 {
		return nil
	}
	return &e.Changes[i]
}

// node names an event's node where there are several.
func (t *teller) node(e history.Event) string {
	if t.h.Nodes > 1 {
		return e.Node
	}
	return ""
}

// taken is when a node's key came to be a client's, before an event.
func (t *teller) taken(client, node string, before int) (history.Event, bool) {
	return t.last(before, func(e history.Event) bool {
		c := t.change(e)
		return e.Kind == history.Apply && e.Client == client && (node == "" || e.Node == node) && c != nil && c.After != nil &&
			(c.Before == nil || c.Before.Value != c.After.Value)
	})
}

// source is the line of a strategy that sent a command, as "set_del.go:28".
func source(e history.Event) string { return strings.TrimPrefix(e.Source, "strategies/") }

// verbs names the commands of an event.
func verbs(e history.Event) string {
	var names []string
	for _, cmd := range e.Cmds {
		names = append(names, cmd[0])
	}
	return strings.Join(names, " ")
}

// deadline writes when a key ends; "" for never.
func deadline(k *history.KeyState) string {
	if k == nil || k.Deadline == 0 {
		return ""
	}
	return k.Deadline.String()
}

func does(client string, ops ...string) func(history.Event) bool {
	return func(e history.Event) bool {
		return e.Client == client && e.Kind == history.Resource && slices.Contains(ops, e.Op)
	}
}
