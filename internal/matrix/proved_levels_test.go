package matrix

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// telling are the invariants, that which tells most first.
var telling = []string{
	history.LostUpdate, history.LockRecovers, history.SelfDeadlock, history.Leak, history.ForeignRelease, history.ForeignRenewal, history.EqualTokens,
	history.OverwrittenLease, history.StaleWrite, history.MutualExclusion, history.PhantomHold,
}

// goalsOf are the invariants that are worth a level in a cell: what tells most of
// those that the lock breaks, or mutual exclusion if it breaks none, and what the
// course asks for. Of those that nothing is known of there is none.
func goalsOf(c explore.Report, asked []string) (goals []string) {
	r := &c
	switch v, _ := r.Verdict(); {
	case v == explore.Vacuous || v == explore.Inconclusive:
		return nil
	case len(r.Found) == 0:
		goals = []string{history.MutualExclusion}
	}
	for _, goal := range telling {
		if par, known := parOf(r, goal); known && par > 0 && len(goals) == 0 || known && slices.Contains(asked, goal) && !slices.Contains(goals, goal) {
			goals = append(goals, goal)
		}
	}
	return goals
}

// parOf is the length of the shortest schedule that breaks an invariant, 0 if none
// does.
func parOf(r *explore.Report, goal string) (par int, known bool) {
	i := slices.IndexFunc(r.Found, func(f explore.Found) bool { return f.Violation.Invariant == goal })
	if i < 0 {
		return 0, r.Limit == ""
	}
	return len(r.Found[i].Schedule), r.Found[i].Shortest
}

// askedFor are the goals that the course has for a lock under a hazard, and those that
// are written already: courses of others may name them.
func askedFor(t *testing.T) map[string][]string {
	t.Helper()
	usual := course.Usual()
	written := scenarios.ProvedLevels()
	var ids []string
	for _, c := range usual.Chapters {
		ids = append(ids, c.Levels()...)
	}
	for _, l := range written {
		ids = append(ids, l.ID)
	}
	out := map[string][]string{}
	for _, id := range ids {
		if cut := strings.LastIndexByte(id, '/'); cut > 0 { // a proved one
			out[id[:cut]] = append(out[id[:cut]], id[cut+1:])
		}
	}
	return out
}

// levelsOf writes the cells of the whole matrix as levels.
func levelsOf(t *testing.T, cells []explore.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Written by the explorer: LOCKSTEP_MATRIX=write go test ./internal/matrix -run TestPublished\n\nhazard = [\n")
	for _, h := range explore.Hazards() {
		writeRules(&b, h)
	}
	b.WriteString("]\n\nzookeeper = [\n")
	for _, h := range explore.Hazards() {
		if other := h.On(program.Subject{Server: sim.ZooKeeper}); fmt.Sprint(rulesOf(other)) != fmt.Sprint(rulesOf(h)) {
			writeRules(&b, other)
		}
	}
	b.WriteString("]\n\nlevel = [\n")
	asked := askedFor(t)
	for _, c := range cells {
		world := strings.TrimPrefix(c.Config.String(), "strategy="+c.Config.Strategy+" ")
		for _, goal := range goalsOf(c, asked[c.Config.Strategy+"/"+c.Hazard]) {
			par, _ := parOf(&c, goal)
			fmt.Fprintf(&b, "  { lock = %q, hazard = %q, goal = %q, world = %q, par = %d },\n", c.Config.Strategy, c.Hazard, goal, world, par)
		}
	}
	b.WriteString("]\n\ncell = [\n")
	for _, c := range cells {
		if v, _ := c.Verdict(); v == explore.Vacuous || v == explore.Inconclusive {
			continue
		}
		var violates []string
		for _, f := range c.Found {
			violates = append(violates, fmt.Sprintf("%q", f.Violation.Invariant))
		}
		cut := ""
		if c.Limit != "" {
			cut = ", cut = true"
		}
		fmt.Fprintf(&b, "  { lock = %q, hazard = %q, violates = [%s]%s },\n", c.Config.Strategy, c.Hazard, strings.Join(violates, ", "), cut)
	}
	b.WriteString("]\n")
	return b.Bytes()
}

func lockOf(t *testing.T, id string) explore.Lock {
	t.Helper()
	subject := testkit.Must(scenarios.SubjectOf(id))(t)
	return explore.Lock{ID: id, Subject: subject}
}

// writeRules writes the rules of a hazard's levels.
func writeRules(b *bytes.Buffer, h explore.Hazard) {
	l := scenarios.Level{Rules: rulesOf(h)}
	fmt.Fprintf(b, "  { id = %q, times = %d", h.ID, l.Times)
	for i, v := range l.Moves {
		fmt.Fprintf(b, "%s%q", []string{", moves = [", ", "}[min(i, 1)], v)
	}
	if len(l.Moves) > 0 {
		fmt.Fprintf(b, "], faults = %d", l.Faults)
	}
	if l.Nodes {
		b.WriteString(", nodes = true")
	}
	if l.Waits {
		b.WriteString(", waits = true")
	}
	b.WriteString(" },\n")
}

// rulesOf are the bounds of a hazard, for a learner.
func rulesOf(h explore.Hazard) scenarios.Rules {
	r := scenarios.Rules{Faults: h.Bounds.Budget, Times: h.Bounds.Ticks, Waits: !h.Bounds.Anywhere}
	for _, a := range h.Bounds.Faults {
		if !slices.Contains(r.Moves, a.Verb) {
			r.Moves = append(r.Moves, a.Verb)
		}
		clock := a.Verb == history.Jump || a.Verb == history.Rate
		r.Nodes = r.Nodes || clock && a.Node != ""
	}
	return r
}

// TestPublished: docs/matrix.md has the cells that the explorer finds, and the table of levels
// those that the cells prove. It takes minutes, so it runs only where LOCKSTEP_MATRIX is check,
// or write, which writes both anew.
func TestPublished(t *testing.T) {
	mode := os.Getenv("LOCKSTEP_MATRIX")
	switch mode {
	case "check", "write":
	case "":
		t.Skip("LOCKSTEP_MATRIX is not set")
	default:
		t.Fatalf("LOCKSTEP_MATRIX=%q: use check or write", mode)
	}
	var locks []explore.Lock
	for _, info := range strategies.Catalogue() {
		locks = append(locks, lockOf(t, info.ID))
	}
	cells := testkit.Must(explore.Matrix(t.Context(), locks, explore.Hazards(), explore.Within(Limits(1<<30), "A", "B"), runtime.GOMAXPROCS(0), nil, nil))(t)
	const begins, ends = "<!-- matrix -->\n", "<!-- end of the matrix -->"
	is := func(file string, want func(is string) string) {
		text := testkit.Must(os.ReadFile(file))(t)
		wanted := want(string(text))
		if mode == "write" {
			testkit.OK(t, os.WriteFile(file, []byte(wanted), 0o644))
		} else if string(text) != wanted {
			i := 0
			for i < len(text) && i < len(wanted) && text[i] == wanted[i] {
				i++
			}
			t.Errorf("%s is stale from its line %d on; LOCKSTEP_MATRIX=write writes it anew", file, 1+strings.Count(wanted[:i], "\n"))
		}
	}
	is("../../docs/matrix.md", func(page string) string {
		before, rest, _ := strings.Cut(page, begins)
		_, after, ok := strings.Cut(rest, ends)
		if !ok {
			t.Fatal("docs/matrix.md has no matrix between its marks")
		}
		return before + begins + NewTable(cells, len(explore.Hazards()), english).Markdown() + ends + after
	})
	is("../../scenarios/proved_levels.toml", func(string) string { return string(levelsOf(t, cells)) })
	for _, l := range scenarios.ProvedLevels() {
		i := slices.IndexFunc(cells, func(c explore.Report) bool { return c.Config.Strategy == l.Config.Strategy && c.Hazard == l.Hazard })
		playable(t, &l, Shortest(&l, &cells[i]).Schedule)
	}
}

// TestProvedLevelsAskAsCells: a proved level asks the explorer what its cell of the matrix asks.
func TestProvedLevelsAskAsCells(t *testing.T) {
	limits := Limits(1 << 30)
	for _, l := range scenarios.ProvedLevels() {
		h, ok := explore.FindHazard(l.Hazard)
		if !ok {
			t.Fatalf("%s: no such hazard", l.ID)
		}
		cell := explore.Within(limits, "A", "B")(lockOf(t, l.Config.Strategy), h)
		if got, want := fmt.Sprintf("%+v in %+v", boundsOf(&l, limits), l.Config), fmt.Sprintf("%+v in %+v", cell.Hazard.Bounds, cell.Config); got != want {
			t.Errorf("%s asks\n%s, its cell\n%s; LOCKSTEP_MATRIX=write writes the levels anew", l.ID, got, want)
		}
		if got, want := fmt.Sprint(l.Rules), fmt.Sprint(rulesOf(cell.Hazard)); got != want {
			t.Errorf("%s has the rules %s, its hazard %s", l.ID, got, want)
		}
	}
}
