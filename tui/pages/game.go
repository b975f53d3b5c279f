package pages

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A game is a run that the learner controls: a tree of positions in which each path
// from the root is a schedule. Going back and picking something else makes another
// branch.
type game struct {
	level       *scenarios.Level // nil: anything goes
	config      history.Config
	source      *lesson.Run // the run that was taken over; nil in a level
	playing     string      // the client that the learner last let take a step; "" for none
	root        *node
	at          *node // what is shown; nil before the first position is known
	tip         *node // the end of the branch on which it is
	chosen      int   // among the moves of at
	hints       int   // how many were asked for
	gaveUp      bool
	held        bool   // the learner said that nobody can, and it is so
	reason      string // the number of the one that they gave; "" for none
	revealed    bool   // what was taken over has shown the fault
	shown       bool   // the explorer's branch is there
	goal        *node  // where the learner reached the level's goal last
	superfluous []int  // which moves up to there could be left out; nil if not known
	lost        *node  // from here on nothing leads to the goal; nil if none is known
	seeking     bool   // whether there is one
}

// A node is one position, reached from its parent by one action.
type node struct {
	parent   *node
	action   history.Action
	picked   *scenarios.Move // as which the learner picked the action; nil for what others did
	depth    int
	children []*node
	origin   origin
	position *scenarios.Position // nil until it is first visited
	found    []history.Violation // known of it, also without a position
}

// An origin is who made a branch.
type origin int

const (
	byLearner origin = iota
	byStory
	byExplorer
)

// newGame returns a game that starts with a schedule made by others.
func newGame(config history.Config, level *scenarios.Level, s history.Schedule, found []history.Violation) *game {
	g := &game{level: level, config: config, root: &node{}}
	g.tip = g.plant(s, byStory)
	g.tip.found = found
	return g
}

// plant adds the branch of a schedule, if it is missing, and returns its end.
func (g *game) plant(s history.Schedule, by origin) *node {
	n := g.root
	for _, a := range s {
		n = n.child(a, by)
	}
	return n
}

// child returns the node after an action, and adds it if it is missing.
func (n *node) child(a history.Action, by origin) *node {
	for _, c := range n.children {
		if c.action == a {
			return c
		}
	}
	c := &node{parent: n, action: a, depth: n.depth + 1, origin: by}
	n.children = append(n.children, c)
	return c
}

// schedule is the path to the node.
func (n *node) schedule() history.Schedule {
	s := make(history.Schedule, n.depth)
	for ; n.parent != nil; n = n.parent {
		s[n.depth-1] = n.action
	}
	return s
}

// path returns the nodes from the first action to this one.
func (n *node) path() []*node {
	out := make([]*node, n.depth)
	for ; n.parent != nil; n = n.parent {
		out[n.depth-1] = n
	}
	return out
}

// leaf is the end of the oldest branch through the node.
func (n *node) leaf() *node {
	for len(n.children) > 0 {
		n = n.children[0]
	}
	return n
}

// before says whether the node lies on the path to another one, or is it.
func (n *node) before(other *node) bool {
	for ; other != nil; other = other.parent {
		if other == n {
			return true
		}
	}
	return false
}

// next is the node after the present one on the present branch; nil at its end.
func (g *game) next() *node {
	for n := g.tip; n != g.at; n = n.parent {
		if n.parent == g.at {
			return n
		}
	}
	return nil
}

// arrive makes a node whose position is known the present one. Chosen is the
// move by which the branch goes on, or the same as before, or the next step of the client
// that the learner plays, or the first.
func (g *game) arrive(n *node) {
	was := g.choice()
	g.at = n
	if !n.before(g.tip) {
		g.tip = n.leaf()
	}
	n.share()
	moves := n.position.Moves
	possible := func(m scenarios.Move) bool { return m.Why.None() }
	g.chosen = max(0, slices.IndexFunc(moves, possible))
	want := func(a history.Action) {
		if i := slices.IndexFunc(moves, func(m scenarios.Move) bool { return possible(m) && m.Action == a }); i >= 0 {
			g.chosen = i
		}
	}
	want(history.Action{Verb: history.Step, Client: g.playing})
	if was != nil {
		want(was.Action)
	}
	if next := g.next(); next != nil {
		want(next.action)
	}
}

// guided reports whether the learner is on the way of a guided level, and not at its end.
func (g *game) guided() bool {
	return g.level != nil && g.at != nil && g.at.depth < len(g.level.Guide) && slices.Equal(g.at.schedule(), g.level.Guide[:g.at.depth])
}

// strays reports whether what is chosen is of somebody else than the next move of the guide.
func (g *game) strays() bool {
	return g.guided() && (g.choice() == nil || g.choice().Action.Client != g.level.Guide[g.at.depth].Client)
}

// share lets the positions before this one keep its events in place of their
// own, which are the same: the memory of a long game is that of its branches.
func (n *node) share() {
	events := n.position.History.Events
	for p := n.parent; p != nil && p.position != nil; p = p.parent {
		p.position.History.Events = events[:len(p.position.History.Events):len(p.position.History.Events)]
	}
}

// choice returns the chosen move; nil if none is possible.
func (g *game) choice() *scenarios.Move {
	if g.at == nil || g.chosen >= len(g.at.position.Moves) || !g.at.position.Moves[g.chosen].Why.None() {
		return nil
	}
	return &g.at.position.Moves[g.chosen]
}

// choose goes so many possible moves on, or as far as there are.
func (g *game) choose(by int) {
	step := 1
	if by < 0 {
		step, by = -1, -by
	}
	moves := g.at.position.Moves
	for i := g.chosen + step; i >= 0 && i < len(moves) && by > 0; i += step {
		if moves[i].Why.None() {
			g.chosen, by = i, by-1
		}
	}
}

// fresh lists which of a node's violations its last action brought about.
func (n *node) fresh() []int {
	var out []int
	for i, v := range n.found {
		old := n.depth > 0 && (v.FromTheStart() || n.position.History.Events[v.Seq].Pick < n.depth-1)
		if n.parent != nil && n.parent.position != nil {
			old = slices.ContainsFunc(n.parent.found, func(w history.Violation) bool {
				return w.Invariant == v.Invariant && w.Seq == v.Seq
			})
		}
		if !old {
			out = append(out, i)
		}
	}
	return out
}

// breaks says whether an invariant is known to be broken at the node.
func (n *node) breaks(invariant string) bool {
	return slices.ContainsFunc(n.found, func(v history.Violation) bool { return v.Invariant == invariant })
}
