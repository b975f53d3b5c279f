package scenarios

import (
	_ "embed"
	"slices"
	"sync"

	"lockstep/internal/files"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// A Tree leads from questions about an application to a lock for it, each by its id.
type Tree struct {
	Root     string // the first question
	Question map[string][]Choice
	Advice   map[string]Advice
	Begin    []Start
}

// A Choice leads to a question or to an advice, by id.
type Choice struct{ ID, Leads string }

// A Start is a story whose last question tells with which chapter of the usual course to begin: by
// a wrong answer, or by a right one; "" leads to the next.
type Start struct{ Story, Wrong, Right string }

// An Advice is a lock, with counterexamples that show what it does not exclude.
type Advice struct {
	Lock  string
	Shows []Shown
}

// A Shown is a counterexample to a lock under a hazard, as a token.
type Shown struct{ Hazard, Token string }

//go:embed advice.toml
var adviceData string

// WhichLock returns the tree that leads to a lock.
func WhichLock() *Tree { return whichLock() }

var whichLock = sync.OnceValue(func() *Tree {
	t := &Tree{}
	_, err := files.ReadTOML("advice.toml", []byte(adviceData), t)
	return whole(t, err)
})

// A Standing is what the explorer found of a lock under one hazard: the gravest harm, or
// that no schedule violates anything.
type Standing struct {
	Hazard   string
	Harm     history.Harm // "" if it holds
	Needless bool         // the lock that answers this one keeps an invariant that this one violates
}

// StandingOf lists what the explorer found of a lock, by hazard. A hazard of which too
// little is known is not in it.
func StandingOf(lock string) (list []Standing) {
	cells, answer := ExploredCells(), answerTo(lock)
	for _, c := range cells {
		if c.Lock != lock || c.Cut && len(c.Violates) == 0 {
			continue
		}
		s := Standing{Hazard: c.Hazard, Harm: gravest(c.Violates)}
		s.Needless = slices.ContainsFunc(cells, func(better Explored) bool {
			return better.Lock == answer && better.Hazard == c.Hazard && !better.Cut && keepsMore(better.Violates, c.Violates)
		})
		list = append(list, s)
	}
	return list
}

// answerTo is the lock that answers another one; "" if that is not a lock.
func answerTo(lock string) string {
	info, _ := strategies.Find(lock)
	if fix, _ := strategies.Find(info.Fix); fix.Nodes > 0 {
		return fix.ID
	}
	return ""
}

// keepsMore reports whether a lock keeps an invariant that another one violates. What
// the resource refuses is not the lock's merit, if it does not keep clients apart either.
func keepsMore(better, worse []string) bool {
	shared := slices.Contains(better, history.MutualExclusion)
	return slices.ContainsFunc(worse, func(id string) bool {
		return !slices.Contains(better, id) && (!shared || history.HarmOf(id) != history.Damage)
	})
}
