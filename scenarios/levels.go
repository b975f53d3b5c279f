package scenarios

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
)

// A Level is a goal for a learner who picks what happens next: a world, an
// invariant to break in it, and the rules. Its texts are in package prose.
type Level struct {
	ID     string
	Config history.Config
	Goal   string         // the invariant to break
	Moves  []history.Verb // the faults that may happen, beside steps and time
	Faults int            // how many of them, at most
	Times  int            // how often time may pass
	Par    int            // the fewest moves to the goal; 0 if it cannot be reached
}

//go:embed levels.toml
var levelData string

//go:embed proved_levels.toml
var provedData string

// ProvedLevels returns a level for each lock under each hazard that a learner can
// try: what the explorer has found, and what it has proved not to exist. Only the
// fault of the hazard may happen, and time passes only where that is the hazard.
var ProvedLevels = sync.OnceValues(func() ([]Level, error) { return parseLevels(provedData) })

// About is what a learner reads of the level. One that nobody wrote a text for
// speaks of its hazard, which is the second part of its id, and of its lock.
func (l *Level) About(b *prose.Book) prose.Level {
	lock, hazard, proved := strings.Cut(l.ID, "/")
	if !proved {
		return b.Level(l.ID)
	}
	h := b.Hazard(hazard)
	return prose.Level{
		Name:  lock + ", " + h.Name,
		Goal:  b.Fill("proved_goal", prose.TextFacts{What: lock, Hazard: h.Says, Invariant: l.Goal, Said: b.Invariant(l.Goal).Says}),
		Hint1: h.Example, Hint2: b.Lock(lock).Works, Hint3: b.Lock(lock).Breaks,
	}
}

// Levels returns the levels in the order of the menu.
var Levels = sync.OnceValues(func() ([]Level, error) { return parseLevels(levelData) })

// levelVerbs are the faults that a level may allow.
var levelVerbs = slices.Concat(messageVerbs, processVerbs, []history.Verb{history.Late, history.Jump, history.Rate, history.Flush, history.Wipe, history.Evict})

// parseLevels reads the data file. A mistake in it is an error that names the
// level.
func parseLevels(text string) ([]Level, error) {
	var file struct {
		Level []struct {
			ID, Lock, World, Goal string
			Moves                 []history.Verb
			Faults, Times, Par    int
		}
	}
	if err := readData("levels.toml", text, &file); err != nil {
		return nil, err
	}
	var out []Level
	for _, l := range file.Level {
		config, err := history.ParseConfig("strategy=" + l.Lock + " " + l.World)
		level := Level{l.ID, config, l.Goal, l.Moves, l.Faults, l.Times, l.Par}
		if err = errors.Join(err, knownLock(l.Lock), level.check()); err != nil {
			return nil, fmt.Errorf("levels.toml: %s: %w", l.ID, err)
		}
		out = append(out, level)
	}
	return out, nil
}

func (l *Level) check() error {
	if !slices.Contains(history.Invariants, l.Goal) {
		return fmt.Errorf("%q is no invariant; %s would fit", l.Goal, strings.Join(history.Invariants, ", "))
	}
	for _, v := range l.Moves {
		if !slices.Contains(levelVerbs, v) {
			return fmt.Errorf("%q is no fault; some of %q would fit", v, levelVerbs)
		}
	}
	if (len(l.Moves) > 0) != (l.Faults > 0) || l.Times < 0 || l.Par < 0 {
		return errors.New("faults that may happen go with how many may, and no number is negative")
	}
	return nil
}

// FaultActions lists the faults that the level allows, each for any client.
func (l *Level) FaultActions() []history.Action {
	var out []history.Action
	for _, v := range l.Moves {
		of := slices.DeleteFunc(clocks(""), func(a history.Action) bool { return a.Verb != v })
		if len(of) == 0 {
			of = kinds(v)
		}
		out = append(out, of...)
	}
	return out
}

// Spent counts the faults of a schedule and how often time passes in it.
func (l *Level) Spent(s history.Schedule) (faults, times int) {
	for _, a := range s {
		switch {
		case a.Verb.IsTime():
			times++
		case slices.Contains(l.Moves, a.Verb):
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
	return slices.Contains(l.Moves, a.Verb) && faults < l.Faults
}

// readData reads a data file; a key that nothing takes is an error.
func readData(name, text string, into any) error {
	meta, err := toml.Decode(text, into)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if keys := meta.Undecoded(); len(keys) > 0 {
		return fmt.Errorf("%s: unknown key %s", name, keys[0])
	}
	return nil
}
