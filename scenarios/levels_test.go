package scenarios

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// TestMistakesOfLevels: a mistake in a file of levels is reported with its level.
func TestMistakesOfLevels(t *testing.T) {
	level := func(lock, world, goal, rest string) string {
		return "[[level]]\nid = \"x\"\nlock = \"" + lock + "\"\nworld = \"" + world + "\"\ngoal = \"" + goal + "\"\n" + rest
	}
	for text, want := range map[string]string{
		level("set-lau", "", "leak", ""):                    "set-lau",
		level("set-lua", "clients=A,", "leak", ""):          "levels.toml:4:9:",
		level("set-lua", "", "laek", ""):                    "laek",
		level("set-lua", "", "leak", "moves = [\"step\"]"):  "step",
		level("set-lua", "", "leak", "moves = [\"crash\"]"): "how many may",
		level("set-lua", "", "leak", "times = -1"):          "negative",
		level("set-lua", "", "leak", "tims = 1"):            "tims",
		level("set-lua", "ttl=x", "leak", ""):               "ttl",
		"[[level]]\nlock = 1":                               "level.lock",
	} {
		if _, _, err := ParseLevels("levels.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	proved := "hazard = [{ id = \"crash\" }]\nlevel = [{ lock = \"set-lua\", hazard = \"crahs\", goal = \"leak\" }]"
	if _, err := parseProved(proved); err == nil || !strings.Contains(err.Error(), `proved_levels.toml:2:39: there is no hazard "crahs"`) {
		t.Errorf("got %v", err)
	}
	if _, err := parseProved(strings.Replace(proved, "crahs", "crash", 1)); err != nil {
		t.Error(err)
	}
}

// TestRules: the faults that a level allows, and when time passes.
func TestRules(t *testing.T) {
	l := Level{Config: configFor(t, "strategy=set-lua clients=A,B"), Rules: Rules{
		Moves: []history.Verb{history.Jump, history.Promote}, Nodes: true, Faults: 1, Times: 4, Waits: true,
	}}
	if got, want := history.Schedule(l.FaultActions()).String(), "any.jump+10000 any.jump-10000 .promote+1"; got != want {
		t.Errorf("faults are %s, want %s", got, want)
	}
	for _, tt := range []struct {
		after string
		early bool
	}{{"A*2", true}, {"A*3", true}, {"A*2 A.crash", false}, {"A*2 A.crash B", true}, {"A*2 A.crash B*2", false}} {
		p := testkit.Must(Look(t.Context(), l.Config, scheduleFor(t, tt.after), &l))(t)
		i := slices.IndexFunc(p.Moves, func(m Move) bool { return m.Action.Verb == history.Tick })
		if i < 0 || p.Moves[i].Why.None() == tt.early {
			t.Errorf("after %s: early is not %t in %+v", tt.after, tt.early, p.Moves)
		}
	}
}

// TestProvedLevelsHaveTexts: every lock has levels, each with a name, a goal and
// hints in every language.
func TestProvedLevelsHaveTexts(t *testing.T) {
	levels := ProvedLevels()
	for _, info := range strategies.Catalogue() {
		if !slices.ContainsFunc(levels, func(l Level) bool { return l.Config.Strategy == info.ID }) {
			t.Errorf("%s has no level", info.ID)
		}
	}
	for _, lang := range prose.Languages() {
		book := bookIn(t, lang)
		for _, l := range levels {
			about := l.About(book, lang)
			if about.Name == "" || !strings.Contains(about.Goal, l.Goal) || slices.Contains([]string{about.Hint1, about.Hint2, about.Hint3}, "") {
				t.Errorf("%s, %s: %+v", lang, l.ID, about)
			}
		}
	}
}

// TestReached: a cause comes no later than what it causes, unless that is decided at the
// end.
func TestReached(t *testing.T) {
	found := func(invariant string, seq int) history.Violation {
		return history.Violation{Invariant: invariant, Seq: seq}
	}
	cause, late := found(history.PhantomHold, 3), found(history.PhantomHold, 9)
	for _, tt := range []struct {
		target Target
		found  []history.Violation
		want   bool
	}{
		{Target{Goal: history.StaleWrite}, []history.Violation{found(history.StaleWrite, 5)}, true},
		{Target{Goal: history.StaleWrite}, []history.Violation{cause}, false},
		{Target{history.StaleWrite, history.PhantomHold}, []history.Violation{found(history.StaleWrite, 5)}, false},
		{Target{history.StaleWrite, history.PhantomHold}, []history.Violation{cause, found(history.StaleWrite, 5)}, true},
		{Target{history.StaleWrite, history.PhantomHold}, []history.Violation{found(history.StaleWrite, 5), late}, false},
		{Target{history.LockRecovers, history.PhantomHold}, []history.Violation{found(history.LockRecovers, 0), late}, true},
	} {
		if got := tt.target.Reached(tt.found); got != tt.want {
			t.Errorf("%+v by %+v: %t", tt.target, tt.found, got)
		}
	}
}
