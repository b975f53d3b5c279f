package pages

import (
	"context"
	"fmt"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A waysPage compares the learner's way to a level's goal with the shortest.
type waysPage struct {
	textPage
	game     *gamePage
	goal     *node
	shortest []scenarios.Move // nil until they are looked up
	failed   error
}

// showWays opens the comparison.
func (p *gamePage) showWays() act {
	w := &waysPage{textPage: textPage{shared: p.shared}, game: p, goal: p.game.goal}
	w.text = w.lines
	return push(w)
}

func (p *waysPage) title() (left, right string) {
	return p.Text("ways"), p.game.game.level.About(p.Book, p.lang).Name
}

// opened finds each move of the shortest way among the offered ones.
func (p *waysPage) opened() act {
	if p.shortest != nil || p.failed != nil {
		return nil
	}
	level, schedule := p.game.game.level, p.game.proof().Schedule
	return begin(func(ctx context.Context) act {
		moves, err := movesOf(ctx, level, schedule)
		return func(*Shell) Cmd {
			p.shortest, p.failed = moves, err
			return nil
		}
	})
}

// movesOf returns the moves for a schedule.
func movesOf(ctx context.Context, level *scenarios.Level, schedule history.Schedule) ([]scenarios.Move, error) {
	var out []scenarios.Move
	for i, a := range schedule {
		at, err := scenarios.Look(ctx, level.Config, schedule[:i], level)
		if err != nil {
			return nil, err
		}
		move := scenarios.Move{Action: a, Text: lang.Quote(a.String())}
		for _, m := range at.Moves {
			if m.Action == a {
				move = m
			}
		}
		out = append(out, move)
	}
	return out, nil
}

func (p *waysPage) waits(name string) patience {
	return until(p.shortest != nil || p.failed != nil, name)
}

// abreastWidth is the width from which two lists of moves stand side by side.
const abreastWidth = 80

// lines returns both ways, side by side if there is room.
func (p *waysPage) lines(w int) render.Lines {
	if p.failed != nil {
		return render.Wrap(p.in(p.failed), w)
	}
	var yours, shortest []string
	for _, n := range p.goal.path() {
		yours = append(yours, p.game.wordsOf(n))
	}
	for _, m := range p.shortest {
		shortest = append(shortest, p.game.moveText(m))
	}
	list := func(name string, moves, other []string, spare map[int]bool, w int) render.Lines {
		out := render.Lines{p.Heading(name, w)}
		for i, words := range moves {
			mark := " "
			switch {
			case spare[i]:
				mark = "-" // it could be left out
			case i >= len(other) || other[i] != words:
				mark = p.Glyphs.Parts
			}
			out = append(out, render.Normal.Line(render.Trim(fmt.Sprintf("%s%2d %s", mark, i+1, words), w)))
		}
		return out
	}
	left := p.Count("way_yours", len(yours))
	right := p.Count("way_shortest", len(p.game.proof().Schedule))
	half, rest := (w-1)/2, w-(w-1)/2-1
	beside := w >= abreastWidth && !p.Flow
	if !beside {
		half, rest = w, w
	}
	out, theirs := list(left, yours, shortest, p.game.game.superfluous, half), list(right, shortest, yours, nil, rest)
	if beside {
		rows := max(len(out), len(theirs))
		out = p.abreast(out.Block(half, rows), theirs.Block(rest, rows))
	} else {
		out = append(out, theirs...)
	}
	if parts := p.game.superfluousPart(); parts != nil {
		out = append(append(out, nil), p.Passages(parts, w)...)
	}
	return out
}
