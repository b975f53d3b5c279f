package pages

import (
	"context"
	"fmt"
	"slices"

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

// lines returns both ways, move beside the same move: in two columns if there is room.
func (p *waysPage) lines(w int) render.Lines {
	if p.failed != nil {
		return render.Wrap(p.in(p.failed), w)
	}
	yours := p.goal.path()
	left, right := p.Count("way_yours", len(yours)), p.Count("way_shortest", len(p.game.proof().Schedule))
	half, rest := (w-1)/2, w-(w-1)/2-1
	beside := w >= abreastWidth && !p.Flow
	if !beside {
		half, rest = w, w
	}
	move := func(mark string, i int, words string, w int) render.Line {
		return render.Normal.Line(render.Trim(fmt.Sprintf("%s%2d %s", mark, i+1, words), w))
	}
	one, two := render.Lines{p.Heading(left, half)}, render.Lines{p.Heading(right, rest)}
	for _, r := range aligned(len(yours), len(p.shortest), func(i, j int) bool { return yours[i].action == p.shortest[j].Action }) {
		mine, best := render.Line(nil), render.Line(nil)
		mark := " "
		if r[0] < 0 || r[1] < 0 {
			mark = p.Glyphs.Parts
		}
		if i := r[0]; i >= 0 {
			if slices.Contains(p.game.game.superfluous, i) {
				mark = "-" // it could be left out
			}
			mine = move(mark, i, p.game.wordsOf(yours[i]), half)
		}
		if j := r[1]; j >= 0 {
			best = move(mark, j, p.game.moveText(p.shortest[j]), rest)
		}
		if one = append(one, mine); beside || best != nil {
			two = append(two, best)
		}
	}
	out := append(slices.DeleteFunc(slices.Clone(one), func(l render.Line) bool { return l == nil }), two...)
	if beside {
		out = p.abreast(one.Block(half, len(one)), two.Block(rest, len(two)))
	}
	if parts := p.game.superfluousPart(); parts != nil {
		out = append(append(out, nil), p.Passages(parts, w)...)
	}
	return out
}

// aligned pairs the items of two lists that are the same, as many as there are in one order; an
// item without a partner has -1 beside it.
func aligned(n, m int, same func(i, j int) bool) (rows [][2]int) {
	most := make([][]int, n+1) // of pairs, from i and j on
	for i := range most {
		most[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			most[i][j] = max(most[i+1][j], most[i][j+1])
			if same(i, j) {
				most[i][j] = 1 + most[i+1][j+1]
			}
		}
	}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && same(i, j):
			rows = append(rows, [2]int{i, j})
			i, j = i+1, j+1
		case j == m || i < n && most[i+1][j] >= most[i][j+1]:
			rows = append(rows, [2]int{i, -1})
			i++
		default:
			rows = append(rows, [2]int{-1, j})
			j++
		}
	}
	return rows
}
