package scenarios

import (
	_ "embed"
	"errors"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"

	"lockstep/message"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
)

// A Level is a goal for a learner who picks what happens next: a world, an
// invariant to break in it, and the rules. Its texts are in package prose.
type Level struct {
	ID     string
	Hazard string // against which the explorer has written it; "" for one made by hand
	Config history.Config
	Goal   string // the invariant to break
	Rules
	Par int // the fewest moves to the goal; 0 if it cannot be reached
}

// Rules say what may happen in a level beside the steps of its clients.
type Rules struct {
	Moves  []history.Verb // the faults
	Nodes  bool           // the clocks among them are those of nodes, not of clients
	Faults int            // how many of them, at most
	Times  int            // how often time may pass
	Waits  bool           // it passes only while nobody who has begun can take a step
}

//go:embed levels.toml
var levelData string

//go:embed proved_levels.toml
var provedData string

// ProvedLevels returns levels that the explorer has written: each lock under each
// hazard, with what it has found or proved not to exist. Their rules are the
// bounds of the hazards. The id is the lock, the hazard and the goal.
var ProvedLevels = sync.OnceValues(func() ([]Level, error) { return parseProved(provedData) })

// ProvedID is the id of the level of a lock under a hazard with a goal.
func ProvedID(lock, hazard, goal string) string { return lock + "/" + hazard + "/" + goal }

// parseProved reads what the explorer has written.
func parseProved(text string) ([]Level, error) {
	const name = "proved_levels.toml"
	var file struct {
		Hazard []struct {
			ID string
			Rules
		}
		Level []struct {
			Lock, Hazard, Goal, World string
			Par                       int
		}
	}
	if err := readData(name, text, &file); err != nil {
		return nil, err
	}
	rules := map[string]Rules{}
	for _, h := range file.Hazard {
		rules[h.ID] = h.Rules
	}
	var out []Level
	for _, l := range file.Level {
		of, known := rules[l.Hazard]
		level := Level{ID: ProvedID(l.Lock, l.Hazard, l.Goal), Hazard: l.Hazard, Goal: l.Goal, Rules: of, Par: l.Par}
		if !known {
			return nil, message.Errorf("%s: %s: there is no hazard %q", name, level.ID, l.Hazard)
		}
		if err := level.in(l.Lock, l.World); err != nil {
			return nil, message.Errorf("%s: %s: %w", name, level.ID, err)
		}
		out = append(out, level)
	}
	return out, nil
}

// Lock is the lock among whose levels it is; "" for one made by hand.
func (l *Level) Lock() string {
	if l.Hazard == "" {
		return ""
	}
	return l.Config.Strategy
}

// About is what a learner reads of the level. One that nobody wrote a text for
// speaks of its hazard and of its lock.
func (l *Level) About(b *prose.Book) prose.Level {
	lock := l.Lock()
	if lock == "" {
		return b.Level(l.ID)
	}
	h := b.Hazard(l.Hazard)
	return prose.Level{
		Name:  b.List(lock, h.Name),
		Goal:  b.Fill("proved_goal", prose.TextFacts{What: lock, Hazard: h.Says, Invariant: b.Named(l.Goal), Said: b.Invariant(l.Goal).Says}),
		Hint1: h.Example, Hint2: b.Lock(lock).Works, Hint3: b.Lock(lock).Breaks,
	}
}

// Levels returns the levels in the order of the menu.
var Levels = sync.OnceValues(func() ([]Level, error) { return parseLevels(levelData) })

// levelFaults are all faults, each for all whom it concerns.
var levelFaults = slices.Concat(append([][]history.Action{kinds(messageVerbs...), kinds(history.Late)}, faultKinds...)...)

// parseLevels reads the data file. A mistake in it is an error that names the
// level.
func parseLevels(text string) ([]Level, error) {
	var file struct {
		Level []struct {
			ID, Lock, World, Goal string
			Par                   int
			Rules
		}
	}
	if err := readData("levels.toml", text, &file); err != nil {
		return nil, err
	}
	var out []Level
	for _, l := range file.Level {
		level := Level{ID: l.ID, Goal: l.Goal, Rules: l.Rules, Par: l.Par}
		if err := level.in(l.Lock, l.World); err != nil {
			return nil, message.Errorf("levels.toml: %s: %w", l.ID, err)
		}
		out = append(out, level)
	}
	return out, nil
}

// in sets the world of a level, and says what is wrong with it.
func (l *Level) in(lock, world string) (err error) {
	l.Config, err = history.ParseConfig("strategy=" + lock + " " + world)
	return errors.Join(err, knownLock(lock), l.check())
}

func (l *Level) check() error {
	if !slices.Contains(history.Invariants, l.Goal) {
		return message.Errorf("%q is no invariant; %s would fit", l.Goal, message.Names(history.Invariants))
	}
	for _, v := range l.Moves {
		if !slices.ContainsFunc(levelFaults, func(a history.Action) bool { return a.Verb == v }) {
			return message.Errorf("%q is no fault", v)
		}
	}
	if (len(l.Moves) > 0) != (l.Faults > 0) || l.Times < 0 || l.Par < 0 {
		return message.Errorf("faults that may happen go with how many may, and no number is negative")
	}
	return nil
}

// FaultActions lists the faults that the level allows, each for all whom it
// concerns.
func (l *Level) FaultActions() []history.Action {
	return slices.DeleteFunc(slices.Clone(levelFaults), func(a history.Action) bool { return !l.isFault(a) })
}

// isFault says whether an action is one of the faults that the level allows.
func (l *Level) isFault(a history.Action) bool {
	_, ofNode := a.Concerns()
	ofClock := a.Verb == history.Jump || a.Verb == history.Rate
	return slices.Contains(l.Moves, a.Verb) && (!ofClock || ofNode == l.Nodes)
}

// Spent counts the faults of a schedule and how often time passes in it.
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

// allows says whether the rules allow an action after so many faults and
// passings of time.
func (l *Level) allows(a history.Action, faults, times int) bool {
	switch {
	case a.Verb == history.Step:
		return true
	case a.Verb.IsTime():
		return times < l.Times
	}
	return l.isFault(a) && faults < l.Faults
}

// readData reads a data file; a key that nothing takes is an error.
func readData(name, text string, into any) error {
	meta, err := toml.Decode(text, into)
	if err != nil {
		return message.Errorf("%s: %w", name, err)
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return message.Errorf("%s: unknown key %s", name, keys[0])
	}
	return nil
}
