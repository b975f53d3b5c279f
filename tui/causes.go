package tui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

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

// onCard is the violation that a card shows; nil if none does.
func (m *model) onCard() *render.Found {
	if !m.showsRun() || m.run == nil || !m.card || !m.showsViolation() {
		return nil
	}
	return &m.run.Found[m.violation]
}

// askCauses finds out what the violation on the card depends on, beside the
// program: the run is played many times for that.
func (m *model) askCauses() tea.Cmd {
	f := m.onCard()
	if f == nil || f.Asked {
		return nil
	}
	f.Asked = true
	run, i, h, v := m.run, m.violation, m.run.History, f.Violation
	return m.background.do(func(ctx context.Context) tea.Msg {
		causes, err := scenarios.Causes(ctx, h, v)
		return explained{run, i, causes, err}
	})
}

func (m *model) isExplained(msg explained) {
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
func (m *model) causesHere() (rows []int, keys []string) {
	f := m.onCard()
	if f == nil {
		return nil, nil
	}
	for _, c := range f.Causes {
		rows = append(rows, c.Step-1)
	}
	var taken []string
	if _, p := m.asking(); p != nil {
		taken = choiceKeys(p)
	}
	for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		if len(keys) < len(rows) && !slices.Contains(taken, key) {
			keys = append(keys, key)
		}
	}
	return rows, keys
}

// causes are the same as the card shows them.
func (m *model) causes() []render.Cause {
	rows, keys := m.causesHere()
	var out []render.Cause
	for i, at := range rows {
		c, row := m.run.Found[m.violation].Causes[i], m.run.Rows[at]
		if c.Text = strings.TrimSpace(row.Who + " " + row.Text); i < len(keys) {
			c.Key = keys[i]
		}
		out = append(out, c)
	}
	return out
}
