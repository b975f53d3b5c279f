package render

import (
	"strings"
	"testing"

	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// table has every kind of cell; its cursor is in the middle.
func table() Matrix {
	m := Matrix{
		Locks: []string{"setnx", "setnx-expire", "reentrant-misprint", "锁", "set-del", "set-lua", "redlock"},
		Hazards: []string{
			"contention", "crash", "overrun", "client-clock", "lost-reply", "late-request", "reentry", "script-flush",
		},
		Lock: 3, Hazard: 4,
	}
	kinds := []Cell{
		{explore.Violated, history.Inside}, {Verdict: explore.Holds}, {Verdict: explore.Vacuous}, {Verdict: explore.Inconclusive}, {Verdict: Working}, {},
		{explore.Violated, history.Stuck}, {Verdict: "ODD"},
	}
	for i := range len(m.Locks) * len(m.Hazards) {
		m.Cells = append(m.Cells, kinds[(i+i/8)%len(kinds)])
	}
	return m
}

func TestMatrix(t *testing.T) {
	frames(t, func(theme Theme, w int) Lines { return table().Draw(theme, w, 7) })
}

func TestFindings(t *testing.T) {
	list := []Finding{
		{"ME 7", "mutual-exclusion", "7 actions, no fault, shortest"},
		{"LR 15/1", "lock-recovers", "15 actions, 1 fault, perhaps not shortest"},
	}
	frames(t, func(theme Theme, w int) Lines {
		lines, last := theme.Findings(list, 1, w)
		if last != len(lines)-1 {
			t.Errorf("the second of two ends at line %d of %d", last, len(lines))
		}
		return lines
	})
}

// TestCursorIsVisible: wherever the cursor is and whatever the size, its cell
// is drawn, and the marks say where there is more.
func TestCursorIsVisible(t *testing.T) {
	theme := themed(true)
	for w := 30; w < 130; w += 7 {
		for _, h := range []int{3, 4, 7, 20} {
			m := table()
			for i := range m.Cells {
				m.Lock, m.Hazard = i/len(m.Hazards), i%len(m.Hazards)
				lines := m.Draw(theme, w, h)
				fits(t, lines, w)
				locks, hazards := m.Window(w, h)
				row, head := lines[headingLines+m.Lock-locks.From].Text(), lines[1].Text()
				if !strings.HasPrefix(row, Trim(m.Locks[m.Lock], m.nameWidth(w)-1)) || strings.Count(row, ">") != 1 || len(lines) > h {
					t.Fatalf("%dx%d: the cursor is not in %q", w, h, row)
				}
				more := []bool{strings.Contains(head, "<"), strings.HasSuffix(head, ">")}
				if more[0] != (hazards.From > 0) || more[1] != (hazards.To < len(m.Hazards)) {
					t.Fatalf("%dx%d: the marks of %q are wrong", w, h, head)
				}
			}
		}
	}
}
