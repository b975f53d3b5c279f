package explain

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// An Account explains one violation. Everything in it comes from this run or
// from a replay of it.
type Account struct {
	Happened Sentence
	Why      []Sentence // one for each cause, in order
	Code     []Sentence // what the lock's code did, whatever the schedule
	Cost     Sentence
	Saved    []Sentence // one for each remedy
	Causes   []Cause
	Remedies []Remedy
	IfOnly   []IfOnly

	finder *finder // of the causes, for Prevent; nil if there is nothing to prevent
}

// A Sentence is a text of package prose and the facts that fill it. What it holds for, this run
// or every schedule within the bounds of the explorer, its words say.
type Sentence struct {
	ID    string // see prose.Book.Say; "" for none
	Facts prose.Facts
	Shown lang.Message // see prose.Facts
	Seq   int          // the event that it is about; -1 for none
	About []int        // the events that its facts come from
}

// Text returns the sentence in the book's language; "" for none.
func (s Sentence) Text(b *prose.Book) string {
	if s.ID == "" {
		return ""
	}
	f := s.Facts
	f.Shown = s.Shown.In(b.Language())
	return b.Say(s.ID, f)
}

// Tell explains a violation. It replays the run without each step that can be
// left out, and then with longer leases and with other locks. With an error, the
// account still says what happened. ctx ends the wait for code that is stuck.
// The error is ErrTooLong if the run has too many steps.
func (r *Run) Tell(ctx context.Context, v history.Violation) (Account, error) {
	a, err := r.Why(ctx, v)
	if err == nil {
		err = a.Prevent(ctx)
	}
	return a, err
}

// Why is Tell without what Prevent adds.
func (r *Run) Why(ctx context.Context, v history.Violation) (a Account, err error) {
	t := &narrator{h: r.history, v: v}
	if v.FromTheStart() {
		return Account{Happened: t.say("never", prose.Facts{Key: v.Key}), Cost: t.say("cost-never", prose.Facts{})}, nil
	}
	a = Account{Happened: t.happened(), Cost: t.cost()}
	f := r.finder(ctx, *t)
	if a.Causes, err = f.find(); err != nil {
		return a, err
	}
	for _, c := range a.Causes {
		a.Why = append(a.Why, t.cause(c))
	}
	a.Code = t.code(len(a.Causes) == 0, f.unreached)
	a.finder = f
	return a, nil
}

// Prevent adds the remedies and the what-if questions to an account of Why.
func (a *Account) Prevent(ctx context.Context) (err error) {
	f := a.finder
	if a.finder = nil; f == nil {
		return nil
	}
	f.ctx = ctx
	if a.Remedies, err = f.remedies(a.Causes); err != nil {
		a.Why, a.Code = nil, nil
		return err
	}
	for _, r := range a.Remedies {
		a.Saved = append(a.Saved, f.saves(r))
	}
	a.IfOnly, err = f.ifOnly(*a)
	return err
}

// Rests names the texts of prose that say what the replays have shown: the
// violation is gone without the one cause, without any of several, or without
// both of two; or it happens later.
func (a Account) Rests() (texts []string) {
	alone, delays, pair, delaysPair := 0, 0, false, false
	for _, c := range a.Causes {
		switch {
		case c.Either:
			pair, delaysPair = true, c.Delays
		case c.Delays:
			delays++
			fallthrough
		default:
			alone++
		}
	}
	switch {
	case alone == 1 && delays == 1:
		texts = append(texts, "delayed_one")
	case alone == 1:
		texts = append(texts, "without_one")
	case alone > 1 && delays == alone:
		texts = append(texts, "delayed_any")
	case alone > 1 && delays > 0:
		texts = append(texts, "without_some")
	case alone > 1:
		texts = append(texts, "without_any")
	}
	switch {
	case delaysPair:
		texts = append(texts, "delayed_both")
	case pair:
		texts = append(texts, "without_both")
	}
	return texts
}

// A narrator finds the facts for the sentences about a violation.
type narrator struct {
	h history.History
	v history.Violation
}

// say makes a sentence about events. The first is its subject, and when it was, where the
// facts name no other moment.
func (t *narrator) say(id string, f prose.Facts, about ...history.Event) Sentence {
	s := Sentence{ID: id, Facts: f, Seq: -1}
	for _, e := range about {
		s.About = append(s.About, e.Seq)
	}
	if len(about) > 0 {
		s.Seq, s.Facts.At = about[0].Seq, cmp.Or(f.At, about[0].At.String())
	}
	return s
}

// harm is the event at which the violation shows.
func (t *narrator) harm() history.Event { return t.h.Events[t.v.Seq] }

// last returns the latest event before another one for which is holds.
func (t *narrator) last(before int, is func(history.Event) bool) (e history.Event, ok bool) {
	for _, e := range slices.Backward(t.h.Events[:before]) {
		if is(e) {
			return e, true
		}
	}
	return e, false
}

// request returns the request that an event is about.
func (t *narrator) request(e history.Event) (history.Event, bool) {
	return t.last(e.Seq, func(l history.Event) bool { return l.Kind == history.Request && l.Call == e.Call && e.Call != 0 })
}

// next returns the first event after another one for which is holds.
func (t *narrator) next(after int, is func(history.Event) bool) (e history.Event, ok bool) {
	for _, e := range t.h.Events[after+1:] {
		if is(e) {
			return e, true
		}
	}
	return e, false
}

// at returns a monitor that has seen all events before one.
func (t *narrator) at(seq int) *history.Monitor {
	m := history.NewMonitor(t.h.Config, t.h.Nodes)
	for _, e := range t.h.Events[:seq] {
		m.Observe(e)
	}
	return m
}

// eventsUpTo returns the events before an action: they are in the order of actions.
func (t *narrator) eventsUpTo(action int) []history.Event {
	to, _ := slices.BinarySearchFunc(t.h.Events, action, func(e history.Event, action int) int { return e.Pick - action })
	return t.h.Events[:to]
}

// change returns what an event did to the lock's key; nil for nothing.
func (t *narrator) change(e history.Event) *history.Change {
	for _, c := range e.Changes {
		if c, is := history.OfLock(t.h.Config.Key(), c); is {
			return &c
		}
	}
	return nil
}

// node names an event's node if the run has several.
func (t *narrator) node(e history.Event) string {
	if t.h.Nodes > 1 {
		return e.Node
	}
	return ""
}

// taken returns the event with which the client of the violation last took the lock's key
// before the harm.
func (t *narrator) taken() (history.Event, bool) {
	return t.last(t.v.Seq, func(e history.Event) bool {
		c := t.change(e)
		return e.Kind == history.Apply && e.Client == t.v.Client && c != nil && c.After != nil && (c.Before == nil || c.Before.Value != c.After.Value)
	})
}

// sent names the commands of an event, and the line that sent them, as "set_del.go:28".
func sent(e history.Event) (verbs, line string) {
	var names []string
	for _, cmd := range e.Cmds {
		names = append(names, cmd[0])
	}
	return strings.Join(names, " "), strings.TrimPrefix(e.Source, "strategies/")
}

// deadline is when a key expires, as text; "" for never.
func deadline(k *history.KeyState) string {
	if k == nil || k.Deadline == 0 {
		return ""
	}
	return k.Deadline.String()
}

// changed is what a key that stays was and became: its value or, if that is the same, its
// deadline.
func changed(c *history.Change) (before, after string) {
	if c.Before.Value != c.After.Value {
		return c.Before.Value, c.After.Value
	}
	return deadline(c.Before), deadline(c.After)
}

// number is the number that an event wrote or read.
func number(e history.Event) string { return strconv.FormatInt(e.Value, 10) }

func does(client string, ops ...string) func(history.Event) bool {
	return func(e history.Event) bool {
		return e.Client == client && e.Kind == history.Resource && slices.Contains(ops, e.Op)
	}
}
