//go:build !race

package cli

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/matrix"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

const provedFile = "../../scenarios/proved_levels.toml"

// telling are the invariants, that which tells most first.
var telling = []string{
	history.LostUpdate, history.LockRecovers, history.SelfDeadlock, history.Leak, history.ForeignRelease, history.ForeignRenewal,
	history.OverwrittenLease, history.StaleWrite, history.MutualExclusion, history.PhantomHold,
}

// goalsOf are the invariants that are worth a level in a cell: what tells most of
// those that the lock breaks, or mutual exclusion if it breaks none, and what the
// course asks for. Of those that nothing is known of there is none.
func goalsOf(c explore.Cell, asked []string) (goals []string) {
	r := &c.Report
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
	usual := testkit.Must(course.Usual())(t)
	written := testkit.Must(scenarios.ProvedLevels())(t)
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

// writeLevels explores every lock under every hazard and writes what came of it as
// levels.
func writeLevels(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Written by the explorer: LOCKSTEP_LEVELS=write go test ./internal/cli -run TestProvedLevels\n\nhazard = [\n")
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
	var locks []explore.Lock
	for _, info := range strategies.Catalogue() {
		locks = append(locks, lockOf(t, info.ID))
	}
	cells := testkit.Must(explore.Matrix(t.Context(), locks, explore.Hazards(), explore.Within(screenLimits, "A", "B"), runtime.GOMAXPROCS(0), nil, nil))(t)
	asked := askedFor(t)
	for _, c := range cells {
		world := strings.TrimPrefix(c.Report.Config.String(), "strategy="+c.Lock+" ")
		for _, goal := range goalsOf(c, asked[c.Lock+"/"+c.Report.Hazard]) {
			par, _ := parOf(&c.Report, goal)
			fmt.Fprintf(&b, "  { lock = %q, hazard = %q, goal = %q, world = %q, par = %d },\n", c.Lock, c.Report.Hazard, goal, world, par)
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
		fmt.Fprintf(&b, "  { lock = %q, hazard = %q, violates = [%s]%s },\n", c.Lock, c.Hazard, strings.Join(violates, ", "), cut)
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

// TestProvedLevels: the levels of the table have the worlds and the bounds of the
// explorer's hazards, and some of them are explored again. LOCKSTEP_LEVELS=check
// holds the whole table against the whole matrix.
func TestProvedLevels(t *testing.T) {
	const stale = "; LOCKSTEP_LEVELS=write writes it anew"
	mode := os.Getenv("LOCKSTEP_LEVELS")
	if mode != "" {
		want := writeLevels(t)
		if mode == "write" {
			testkit.OK(t, os.WriteFile(provedFile, want, 0o644))
		}
		if got, err := os.ReadFile(provedFile); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s is stale, %v%s", provedFile, err, stale)
		}
	}
	levels := testkit.Must(scenarios.ProvedLevels())(t)
	for _, l := range levels {
		parts := strings.Split(l.ID, "/")
		h, ok := explore.FindHazard(parts[1])
		if !ok {
			t.Fatalf("%s: no such hazard%s", l.ID, stale)
		}
		h = h.On(lockOf(t, parts[0]).Subject)
		if got, want := fmt.Sprint(l.Rules), fmt.Sprint(rulesOf(h)); got != want {
			t.Errorf("%s has the rules %s, its hazard %s%s", l.ID, got, want, stale)
		}
		if got, want := l.Config.String(), h.Config(lockOf(t, parts[0]), "A", "B").String(); got != want {
			t.Errorf("%s has the world %s, its hazard %s%s", l.ID, got, want, stale)
		}
	}
	// These have a hundred thousand states. LOCKSTEP_LEVELS=check explores them.
	levels = slices.DeleteFunc(slices.Clone(levels), func(l scenarios.Level) bool {
		large := []string{"overrun", "client-clock", "lost-reply", "late-request", "node-restart", "partition"}
		return strings.HasPrefix(l.ID, "zk-") && slices.Contains(large, l.Hazard)
	})
	for _, l := range testkit.Some(t, levels, 25, 5) {
		parts := strings.Split(l.ID, "/")
		h, _ := explore.FindHazard(parts[1])
		r := testkit.Must(matrix.Level(t.Context(), &l, screenLimits, screenJobs()))(t)
		r.Hazard = h.ID
		if v, why := r.Verdict(); v == explore.Vacuous || v == explore.Inconclusive {
			t.Errorf("%s is %v: %s%s", l.ID, v, why, stale)
		}
		if par, known := parOf(&r, l.Goal); par != l.Par || !known {
			t.Errorf("%s has par %d; it is %d, known %t%s", l.ID, l.Par, par, known, stale)
		}
		if f := r.Of(l.Goal); f != nil {
			if left, err := scenarios.Superfluous(t.Context(), l.Config, f.Schedule, l.Target, &l); err != nil || len(left) > 0 {
				t.Errorf("%s: of its shortest schedule %v, %v could be left out, %v", l.ID, f.Schedule, left, err)
			}
		}
	}
}
