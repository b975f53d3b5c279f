package scenarios

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// reasons is how many texts claim_reason_N there are.
const reasons = 9

// A Level is a goal for a learner who picks the actions: a world, an invariant to
// break in it, and the rules.
type Level struct {
	ID     string
	Texts  map[string]prose.Level // by language; empty for a proved level
	Hazard string                 // the hazard that the explorer searched; "" for a level made by hand
	Config history.Config
	Target
	Rules
	Par   int              // the fewest moves to the goal; 0 if it cannot be reached
	Why   int              // the reason for that, from 1 to reasons, of those that a claim names; 0 if none is known
	Guide history.Schedule // a way to the goal that the game proposes move by move; nil for none
	After string           // the moves that are made already, as a schedule
}

// A Target is what a learner has to bring about.
type Target struct {
	Goal string // the invariant to violate
	// Because is an invariant that the run must have violated too, as the cause; ""
	// for any cause.
	Because string
}

// Reached reports whether violations of one run reach the target. A cause comes no later
// than the violation of the goal; what is decided by trying is violated at the end.
func (t Target) Reached(found []history.Violation) bool {
	return slices.ContainsFunc(found, func(goal history.Violation) bool {
		return goal.Invariant == t.Goal && (t.Because == "" || slices.ContainsFunc(found, func(cause history.Violation) bool {
			return cause.Invariant == t.Because && (cause.Seq <= goal.Seq || history.Tried(t.Goal))
		}))
	})
}

// Rules bound what may happen in a level beside the steps of its clients.
type Rules struct {
	Moves  []history.Verb // the faults that may happen
	Nodes  bool           // clock faults concern nodes, not clients
	Faults int            // how many faults, at most
	Times  int            // how often time may pass, at most
	Waits  bool           // time passes only while no client that has begun can take a step
}

//go:embed proved_levels.toml
var provedData string

// ProvedLevels returns the levels that the explorer generated: for each lock and
// hazard, the shortest counterexample or the proof that none exists. Their rules are
// the bounds of the hazards.
func ProvedLevels() []Level { return proved() }

// Explored is what the explorer found of a lock under a hazard, if the hazard was
// possible.
type Explored struct {
	Lock, Hazard string
	Violates     []string // invariants
	Cut          bool     // a limit ended the search: of other invariants nothing is known
}

// ExploredCells returns the cells of the matrix in which something was found or
// proven.
func ExploredCells() []Explored { return explored() }

// A run asks for the cells and not for the levels, of which each is a world, so the
// two are read apart.
var (
	proved   = sync.OnceValue(func() []Level { return whole(parseProved(provedData)) })
	explored = sync.OnceValue(func() []Explored {
		var data struct{ Cell []Explored }
		_, cells := cutCells(provedData)
		whole(files.ReadTOML(provedFile, []byte(cells), &data))
		return data.Cell
	})
)

const provedFile = "proved_levels.toml"

// cutCells cuts the file before its cells, which are its last part.
func cutCells(text string) (levels, cells string) {
	at := strings.Index(text, "\ncell = [")
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at:]
}

// ProvedID is the id of a proved level.
func ProvedID(lock, hazard, goal string) string { return lock + "/" + hazard + "/" + goal }

// hazardRules are the rules of the levels of a hazard.
type hazardRules struct {
	ID string
	Rules
}

func parseProved(text string) (out []Level, err error) {
	var data struct {
		Hazard    []hazardRules
		ZooKeeper []hazardRules // those that differ for its locks
		Level     []struct {
			Lock, Hazard, Goal, World string
			Par                       int
		}
	}
	text, _ = cutCells(text)
	file, err := files.ReadTOML(provedFile, []byte(text), &data)
	if err != nil {
		return out, err
	}
	for i, l := range data.Level {
		at := fmt.Sprintf("level[%d]", i)
		level := Level{ID: ProvedID(l.Lock, l.Hazard, l.Goal), Hazard: l.Hazard, Target: Target{Goal: l.Goal}, Par: l.Par}
		of := data.Hazard
		if info, _ := strategies.Find(l.Lock); info.ZooKeeper {
			of = slices.Concat(data.ZooKeeper, of)
		}
		n := slices.IndexFunc(of, func(h hazardRules) bool { return h.ID == l.Hazard })
		if n < 0 {
			return out, file.At(at+".hazard", lang.Errorf("there is no hazard %q", l.Hazard))
		}
		level.Rules = of[n].Rules
		if key, err := level.in(l.Lock, l.World); err != nil {
			return out, file.At(at+key, err)
		}
		out = append(out, level)
	}
	return out, nil
}

// Lock is the lock that a proved level belongs to; "" for a level made by hand.
func (l *Level) Lock() string {
	if l.Hazard == "" {
		return ""
	}
	return l.Config.Strategy
}

// About is the text of the level. What a course does not say of a proved level comes
// from its hazard and its lock.
func (l *Level) About(b *prose.Book, language string) prose.Level {
	lock := l.Lock()
	if lock == "" {
		return l.Texts[language]
	}
	h := b.Hazard(l.Hazard)
	return prose.Over(l.Texts[language], prose.Level{
		Name:  b.List(lock, h.Name),
		Goal:  b.Fill("proved_goal", prose.TextFacts{What: lock, Hazard: h.On(history.StoreOf(l.Config.Key())), Invariant: b.Named(l.Goal), Said: b.Invariant(l.Goal).Says}),
		Hint1: b.Gap("rules_allow", h.Example), Hint2: b.Lock(lock).Works, Hint3: b.Lock(lock).Breaks,
	})
}

// levelFaults lists all faults, each with all its targets.
var levelFaults = slices.Concat(append([][]history.Action{kinds(messageVerbs...), kinds(history.Late)}, faultKinds...)...)

// Bounds of a file of levels made by hand.
const (
	maxLevels  = 100
	maxLevelID = 100 // bytes
)

// ParseLevels reads a file of levels made by hand, without their texts. Each mistake
// in it is a *lang.Placed.
func ParseLevels(name string, text []byte) ([]Level, *files.TOML, error) {
	var data struct {
		Level []struct {
			ID, Lock, World, Guide string
			Par, Why               int
			Target
			Rules
		}
	}
	file, err := files.ReadTOML(name, text, &data)
	if err != nil {
		return nil, file, err
	}
	if len(data.Level) > maxLevels {
		return nil, file, file.At(fmt.Sprintf("level[%d]", maxLevels), lang.Errorf("%d levels are too many; at most %d fit", len(data.Level), maxLevels))
	}
	var out []Level
	var failed []error
	for i, l := range data.Level {
		at := fmt.Sprintf("level[%d]", i)
		mistake := func(key string, err error) {
			if err != nil {
				failed = append(failed, file.At(at+key, err))
			}
		}
		level := Level{ID: l.ID, Target: l.Target, Rules: l.Rules, Par: l.Par, Why: l.Why}
		switch {
		case l.ID == "":
			mistake("", lang.Errorf("%v is missing", "id"))
		case len(l.ID) > maxLevelID:
			mistake(".id", lang.Errorf("the id %q has %d bytes; at most %d fit", l.ID, len(l.ID), maxLevelID))
		case l.Why < 0 || l.Why > reasons:
			mistake(".why", lang.Errorf("there is no reason %d; there are 1 to %d", l.Why, reasons))
		case slices.ContainsFunc(out, func(other Level) bool { return other.ID == l.ID }):
			mistake(".id", lang.Errorf("there are two levels %q", l.ID))
		}
		mistake(level.in(l.Lock, l.World))
		level.Guide, err = history.ParseSchedule(l.Guide)
		mistake(".guide", err)
		out = append(out, level)
	}
	return out, file, errors.Join(failed...)
}

// in sets the world of a level and returns the first mistake in it, with its key.
func (l *Level) in(lock, world string) (key string, err error) {
	subject, err := SubjectOf(lock)
	if err != nil {
		return ".lock", err
	}
	if l.Config, err = history.ParseConfig("strategy=" + lock + " " + world); err != nil {
		return ".world", err
	}
	l.Config.LockKey = cmp.Or(l.Config.LockKey, subject.Key)
	if err := knownInvariant(l.Goal); err != nil {
		return ".goal", err
	}
	if err := knownInvariant(cmp.Or(l.Because, l.Goal)); err != nil {
		return ".because", err
	}
	for i, v := range l.Moves {
		if !slices.ContainsFunc(levelFaults, func(a history.Action) bool { return a.Verb == v }) {
			return fmt.Sprintf(".moves[%d]", i), lang.Errorf("%q is not a fault; %s", v, lang.Fit(string(v), faultNames()))
		}
	}
	if (len(l.Moves) > 0) != (l.Faults > 0) || l.Times < 0 || l.Par < 0 {
		return "", lang.Errorf("faults that may happen go with how many may, and no number is negative")
	}
	return "", nil
}

// faultNames lists the verbs of levelFaults, each once.
func faultNames() (names []string) {
	for _, a := range levelFaults {
		names = append(names, string(a.Verb))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// FaultActions lists the faults that the level allows, each with all its targets.
func (l *Level) FaultActions() []history.Action {
	return slices.DeleteFunc(slices.Clone(levelFaults), func(a history.Action) bool { return !l.isFault(a) })
}

// isFault reports whether the level allows an action as a fault.
func (l *Level) isFault(a history.Action) bool {
	_, ofNode := a.Concerns()
	ofClock := a.Verb == history.Jump || a.Verb == history.Rate
	return slices.Contains(l.Moves, a.Verb) && (!ofClock || ofNode == l.Nodes)
}

// Spent counts the faults of a schedule, and how often time passes in it.
func (l *Level) Spent(s history.Schedule) (faults, times int) {
	for _, a := range s {
		switch {
		case a.Verb.IsTime():
			times++
		case l.isFault(a):
			faults++
		}
	}
	return faults, times
}

// allows reports whether the rules allow an action after so many faults and passings
// of time.
func (l *Level) allows(a history.Action, faults, times int) bool {
	switch {
	case a.Verb == history.Step:
		return true
	case a.Verb.IsTime():
		return times < l.Times
	}
	return l.isFault(a) && faults < l.Faults
}
