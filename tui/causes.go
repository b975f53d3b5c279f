package tui

import (
	"context"
	"slices"
	"strings"

	"lockstep/explain"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// explained is what a violation of a run depends on.
type explained struct {
	run       *render.Run
	violation int
	causes    []explain.Cause
	err       error
}

// shownOnCard is the violation that a card shows; nil if none does.
func (v *viewer) shownOnCard() *render.Found {
	if v.run == nil || v.failed != nil || !v.card || !v.around.violationsHere() {
		return nil
	}
	return &v.run.Found[v.violation]
}

// askCauses finds out what the violation on the card depends on, beside the
// program: the run is played many times for that.
func (v *viewer) askCauses() act {
	f := v.shownOnCard()
	if f == nil || f.Asked {
		return nil
	}
	f.Asked = true
	run, i, h, violation := v.run, v.violation, v.run.History, f.Violation
	return begin(func(ctx context.Context) any {
		causes, err := scenarios.Causes(ctx, h, violation)
		return explained{run, i, causes, err}
	})
}

// isExplained takes what was found out.
func isExplained(msg explained) {
	f := &msg.run.Found[msg.violation]
	if f.Known = true; msg.err != nil {
		f.Trouble = msg.err.Error()
	}
	for _, c := range msg.causes {
		f.Causes = append(f.Causes, render.Cause{Step: msg.run.RowOf(c.Seq) + 1, Either: c.Either})
	}
	f.Causes = slices.CompactFunc(f.Causes, func(a, b render.Cause) bool { return a.Step == b.Step })
}

// causesHere are the rows that the violation on the card depends on, in order,
// and the keys that lead there: digits, but for those that answer a question.
func (v *viewer) causesHere() (rows []int, keys []string) {
	f := v.shownOnCard()
	if f == nil {
		return nil, nil
	}
	for _, c := range f.Causes {
		rows = append(rows, c.Step-1)
	}
	taken := v.around.taken()
	for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		if len(keys) < len(rows) && !slices.Contains(taken, key) {
			keys = append(keys, key)
		}
	}
	return rows, keys
}

// causes are the same as the card shows them.
func (v *viewer) causes() []render.Cause {
	rows, keys := v.causesHere()
	var out []render.Cause
	for i, at := range rows {
		c, row := v.run.Found[v.violation].Causes[i], v.run.Rows[at]
		if c.Text = strings.TrimSpace(row.Who + " " + row.Text); i < len(keys) {
			c.Key = keys[i]
		}
		out = append(out, c)
	}
	return out
}

// askAgain forgets what was asked and has not been answered: the work ended when
// the page was covered.
func (v *viewer) askAgain() {
	if v.run == nil {
		return
	}
	for i := range v.run.Found {
		f := &v.run.Found[i]
		f.Asked = f.Known
	}
}

// toCauses is the key for the causes on the card, as many as have a digit.
func (v *viewer) toCauses(to func(row int) act) []key {
	rows, names := v.causesHere()
	var out []key
	for i, name := range names {
		k := causeKey.to(func() act { return to(rows[i]) })
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
