package pages

import (
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A pastLine is a row of a run, with all that is shown of it later: what everybody
// believes and who owns the lock.
type pastLine struct {
	last  int // event
	bands string
}

// wordsBeside is how wide what stands between a band's name and its cells is.
const wordsBeside = 19

// pastOf reads the past rows of a run, at its last row, off what is drawn.
func pastOf(m *Shell, r *lesson.Run, at int) map[int]pastLine {
	c := render.Cursor{At: at}
	lines := m.Beliefs(r, c, len(r.Rows)+80, m.BeliefLines(r))
	out := map[int]pastLine{}
	for i := range at + 1 {
		row := r.Rows[i]
		if row.From == row.To {
			continue
		}
		bands := ""
		for _, line := range lines[1:] {
			cells := []rune(line.Text())[2+m.nameWidth(r)+wordsBeside:]
			bands += string(cells[i])
		}
		out[row.Seq] = pastLine{row.Last, bands}
	}
	return out
}

// nameWidth is how wide the names of the bands are.
func (s *Shell) nameWidth(r *lesson.Run) int {
	w := len([]rune(s.Text("axis")))
	for _, name := range append(slices.Clone(r.History.Config.Clients), "Redis", s.Text("overlap")) {
		w = max(w, len(name))
	}
	return w + 1
}

// TestThePastStays: what everybody believed and who owned the lock at a step is
// the same from wherever one looks back at it, in the story and in a game that was
// taken over there.
func TestThePastStays(t *testing.T) {
	testkit.Single(t)
	stories := scenarios.Stories()
	m := start(t, Options{}, 80, 24)
	for _, s := range testkit.Some(t, stories, 30, 8) {
		result := testkit.Must(scenarios.Run(t.Context(), s))(t)
		if result.History.Nodes > 1 || len(result.History.Events) > 400 {
			continue // the nodes' bands come and go
		}
		run := lesson.Of(result)
		all := pastOf(m, run, len(run.Rows)-1)
		for at := 0; at < len(run.Rows); at += 1 + len(run.Rows)/12 {
			samePast(t, fmt.Sprint(s.Name, " at step ", at+1), all, pastOf(m, run, at))
			position := testkit.Must(scenarios.Look(t.Context(), result.History.Config, result.History.Schedule[:run.Picks(at)], nil))(t)
			fork := lesson.Of(position.Result)
			samePast(t, fmt.Sprint(s.Name, " taken over at step ", at+1), all, pastOf(m, fork, len(fork.Rows)-1))
		}
	}
}

func samePast(t testing.TB, where string, want, got map[int]pastLine) {
	t.Helper()
	for seq, line := range got {
		if was, ok := want[seq]; ok && was.last == line.last && was.bands != line.bands {
			t.Errorf("%s: the line of event %d has the bands %q, and %q in the whole run", where, seq, line.bands, was.bands)
		}
	}
}

// TestWhoReleasesIsNotTrying: from the call of a release on until the next call of
// acquire nobody is said to try.
func TestWhoReleasesIsNotTrying(t *testing.T) {
	stories := scenarios.Stories()
	for _, s := range testkit.Some(t, stories, 30, 8) {
		result := testkit.Must(scenarios.Run(t.Context(), s))(t)
		run, released := lesson.Of(result), map[string]bool{}
		for at, row := range run.Rows {
			for _, e := range result.History.Events[row.From:row.To] {
				if e.Kind == history.Invoke {
					released[e.Client] = e.Op == history.OpRelease
				}
			}
			for _, c := range run.At(at).Clients {
				if c.Asks == lesson.Trying && released[c.Name] {
					t.Errorf("%s step %d: %s tries after its release", s.Name, at+1, c.Name)
				}
			}
		}
	}
}
