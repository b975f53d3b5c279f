package pages

import (
	"context"

	"lockstep/internal/explain"
	"lockstep/internal/lesson"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// explained is the account of a violation of a run.
type explained struct {
	account explain.Account
	err     error
}

// shownOnCard returns the violation on the card; nil for none.
func (v *viewer) shownOnCard() *lesson.Found {
	if v.run == nil || !v.card || !v.host.violationsHere() {
		return nil
	}
	return &v.run.Found[v.violation]
}

// A teller explains a violation.
type teller = func(context.Context, history.History, history.Violation) (explain.Account, error)

// askCauses explains the violation on the card, beside the program: that takes many
// replays.
func (v *viewer) askCauses() act {
	f := v.shownOnCard()
	if f == nil || f.Asked {
		return nil
	}
	f.Asked = true
	run, h, violation, find := v.run, v.run.History, f.Violation, v.explain
	return begin(func(ctx context.Context) act {
		account, err := find(ctx, h, violation)
		return func(*Shell) Cmd {
			if run == v.run {
				v.isExplained(f, explained{account, err})
			}
			return nil
		}
	})
}

// isExplained stores the explanation of a violation of the run.
func (v *viewer) isExplained(f *lesson.Found, e explained) {
	f.Known = true
	if v.accounts == nil {
		v.accounts = map[*lesson.Found]explained{}
	}
	v.accounts[f] = e
	v.picture.of(v.run).Saves(e.account, f.Row)
}

// explanation returns the explanation of a violation; nil if it is not known yet.
func (v *viewer) explanation(f *lesson.Found) lesson.Explanation {
	e, known := v.accounts[f]
	if !known {
		return nil
	}
	return lesson.Explain(v.Book, e.account, e.err)
}

// causesHere returns the rows of the causes on the card, in order, and the keys that go
// there: digits, unless those answer a question.
func (v *viewer) causesHere() (rows []int, keys []string) {
	f := v.shownOnCard()
	if f == nil {
		return nil, nil
	}
	for _, s := range v.accounts[f].account.Why {
		rows = append(rows, v.run.RowOf(s.Seq))
	}
	if v.host.asksNow() {
		return rows, nil
	}
	for i := range rows[:min(len(rows), 9)] {
		keys = append(keys, choiceKey(i))
	}
	return rows, keys
}

// causes returns the same as the card shows them; none without a card.
func (v *viewer) causes() (out []render.Cause) {
	rows, keys := v.causesHere()
	for i, row := range rows {
		c := render.Cause{Step: row + 1}
		if i < len(keys) {
			c.Key = keys[i]
		}
		out = append(out, c)
	}
	return out
}

// askAgain forgets questions without an answer: their work ended when the page was
// covered.
func (v *viewer) askAgain() {
	if v.run == nil {
		return
	}
	for i := range v.run.Found {
		f := &v.run.Found[i]
		f.Asked = f.Known
	}
}

// toCauses returns the keys for the causes on the card, as many as have a digit.
func (v *viewer) toCauses(to func(row int) act) []key {
	rows, names := v.causesHere()
	var out []key
	for i, name := range names {
		k := keyOf("cause").to(func() act { return to(rows[i]) })
		k.on, k.shown = []string{name}, name
		if i > 0 {
			k.group, k.rank = unlisted, 0
		} else if len(names) > 1 {
			k.shown += "-" + names[len(names)-1]
		}
		out = append(out, k)
	}
	return out
}
