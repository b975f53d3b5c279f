package pages

import (
	"slices"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A branch is a path of the tree to one of its ends.
type branch struct {
	tip  *node
	left int // the depth at which it left the branch above it
	nest int // how many branches it hangs on
}

// branches lists the branches: each below the one that it left.
func (g *game) branches() []branch {
	var out []branch
	var walk func(n *node, left, nest int)
	walk = func(n *node, left, nest int) {
		var others []*node
		for len(n.children) > 0 {
			others = append(others, n.children[1:]...)
			n = n.children[0]
		}
		out = append(out, branch{n, left, nest})
		for _, o := range others {
			walk(o, o.depth-1, nest+1)
		}
	}
	walk(g.root, 0, 0)
	return out
}

// branchAt returns the number of the present branch, from 0.
func (g *game) branchAt(list []branch) int {
	for i, b := range list {
		if b.tip == g.tip {
			return i
		}
	}
	return 0
}

// gravest is the invariant that a branch breaks, the goal of a level before all
// others, and how many more it breaks; "" if none is known.
func (n *node) gravest(goal string) (invariant string, more int) {
	for _, id := range append([]string{goal}, history.Invariants()...) {
		switch {
		case !n.breaks(id) || id == invariant:
		case invariant == "":
			invariant = id
		default:
			more++
		}
	}
	return invariant, more
}

// over says whether it is known that nothing can happen after a node.
func (n *node) over() bool {
	return n.position != nil && !slices.ContainsFunc(n.position.Moves, func(m scenarios.Move) bool { return m.Why.None() })
}

func (p *gamePage) branchLines() []render.Branch {
	var out []render.Branch
	goal := ""
	if l := p.game.level; l != nil {
		goal = l.Goal
	}
	for _, b := range p.game.branches() {
		line := render.Branch{
			Name: p.Text([]string{"branch_own", "branch_story", "branch_shortest"}[b.tip.origin]),
			Nest: b.nest, Left: b.left, Steps: b.tip.depth, End: p.Text("branch_open"), Here: b.tip == p.game.tip,
		}
		if b.tip.over() {
			line.End = p.Text("branch_over")
		}
		if id, more := b.tip.gravest(goal); id != "" {
			if line.End, line.Bad = id, true; more > 0 {
				line.End = p.List(id, p.Count("badge_more", more))
			}
		}
		out = append(out, line)
	}
	return out
}
