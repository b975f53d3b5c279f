package render

import (
	"strings"
	"testing"
)

func TestMoves(t *testing.T) {
	list := []Move{
		{Group: "Steps", Text: "A: SET lock:stock A-1 EX 5 NX, and then some more that does not fit into a narrow panel"},
		{Group: "Steps", Text: "client B is dead", Not: true},
		{Group: "Steps", Text: "C: reads the stock"},
		{Group: "Time", Text: "time: 5.001s, lock:stock expires"},
		{Group: "消息", Text: "A: 丢掉 SET lock:stock A-1 EX 5 NX 的回复，然后什么也不再发生"},
		{Group: "Processes", Text: "A: crash"}, {Group: "Processes", Text: "A: hang"},
	}
	frames(t, func(th Theme, w int) Lines {
		var out Lines
		for _, chosen := range []int{0, 2, 4, 6} {
			out = append(append(out, th.Moves(list, chosen, w, 5)...), sep("--"))
		}
		out = append(append(out, th.Moves(list, 0, w, 20)...), sep("-- nobody can move"))
		return append(out, th.Moves(list[1:2], 0, w, 5)...)
	})
}

// TestChosenIsSeen: however low the pane, the chosen move and the branch that is
// shown are in it.
func TestChosenIsSeen(t *testing.T) {
	moves := []Move{{Group: "Steps", Text: "A: begins"}, {Group: "Steps", Text: "B: begins"}, {Group: "Time", Text: "time: 5s"}}
	for h := 1; h < 6; h++ {
		for chosen := range moves {
			if text := strings.Join(texts(themed(true).Moves(moves, chosen, 40, h)), "\n"); !strings.Contains(text, moves[chosen].Text) {
				t.Errorf("%q is not among %d lines:\n%s", moves[chosen].Text, h, text)
			}
		}
	}
}

func TestBranches(t *testing.T) {
	list := []Branch{
		{Name: "as shown", Steps: 7, End: "lost-update +2", Bad: true},
		{Name: "yours", Nest: 1, Left: 3, Steps: 12, End: "open"},
		{Name: "yours", Nest: 2, Left: 10, Steps: 11, End: "foreign-release", Bad: true, Here: true},
		{Name: "探索器", Nest: 1, Left: 0, Steps: 1, End: "open"},
	}
	frames(t, func(th Theme, w int) Lines {
		out := append(th.Branches(list, w, 10), sep("-- low"))
		out = append(append(out, th.Branches(list, w, 3)...), sep("-- one"))
		return append(out, th.Branches(list[:1], w, 3)...)
	})
}
