package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
)

// toFirstFailure goes to where an invariant fails first: the first one that
// does, and from there on to the first failure of each other one in turn.
func (m *model) toFirstFailure() {
	var firsts []int
	for i, f := range m.run.Found {
		if m.run.FirstOf(f.Invariant) == i {
			firsts = append(firsts, i)
		}
	}
	next := 0
	if i := slices.Index(firsts, m.violation); i >= 0 && m.run.Found[m.violation].Row == m.player.at && m.card {
		next = (i + 1) % len(firsts)
	}
	m.toFound(firsts[next])
}

// toFound goes to a violation and shows its card, or to the question before it.
func (m *model) toFound(i int) {
	row := m.run.Found[i].Row
	if m.gate(row) != row {
		m.goTo(row)
		return
	}
	m.player.seek(row)
	m.card, m.violation, m.scroll = true, i, 0
}

// toCause goes to the cause that a key stands for. Where the learner picks, it
// is the position after the move that led to it.
func (m *model) toCause(key string) tea.Cmd {
	rows, keys := m.causesHere()
	i := slices.Index(keys, key)
	if i < 0 {
		return nil
	}
	if m.screen != gameScreen {
		m.goTo(rows[i])
		m.card = m.card && len(m.here().Found) == 0 // the cause is to be seen, not what comes of it
		return nil
	}
	if n := picksTo(m.run, rows[i]); n > 0 && n < m.game.at.depth {
		return m.visit(m.game.at.path()[n-1])
	}
	return nil
}

// enableJumps leaves on the keys that lead to a failure or to a cause.
func (m *model) enableJumps() {
	k := &m.keys
	fails := m.screen == playerScreen && m.run != nil && !m.covered && len(m.run.Found) > 0
	if _, p := m.asking(); p != nil {
		fails = fails && m.run.Found[0].Row <= m.player.at // the way ahead leads through the answer
	}
	k.FirstFailure.SetEnabled(fails)
	_, keys := m.causesHere()
	k.Cause.SetEnabled(len(keys) > 0 && !m.covered)
	if k.Cause.Enabled() {
		k.Cause.SetKeys(keys...)
		shown := keys[0]
		if len(keys) > 1 {
			shown += "-" + keys[len(keys)-1]
		}
		k.Cause.SetHelp(shown, k.Cause.Help().Desc)
	}
}

// consequence is what became of the resource: so far, and in the end, unless
// the story still asks what will happen.
func (m *model) consequence() string {
	last := len(m.run.Rows) - 1
	now := m.effect(m.snapshot().Effect)
	facts := prose.TextFacts{What: now}
	if m.screen == playerScreen && m.player.at < last && m.gate(last) == last {
		if facts.Said = m.effect(m.run.At(last).Effect); facts.Said != now {
			return m.book.Fill("effect_later", facts)
		}
	}
	return m.book.Fill("effect_now", facts)
}

func (m *model) effect(e history.Effect) string {
	id := e.Resource
	if id == "stock" && e.Short() {
		id = "short"
	}
	return m.book.Fill("effect_"+id, prose.TextFacts{N: int(e.Done), Of: int(e.Items), To: int(e.Gone)})
}
