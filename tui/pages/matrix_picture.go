package pages

import (
	"context"

	"lockstep/internal/lesson"
	"lockstep/sim/explore"
	"lockstep/tui/render"
)

// This file draws the chosen violation of a cell of the matrix beside its details.

// A foundRun is the run of a violation that the explorer has found; nil if it has failed.
type foundRun struct {
	of  *explore.Found
	run *lesson.Run
}

// settle runs the chosen violation, if there is room for its picture.
func (p *matrixPage) settle() act {
	f, c := p.board.found(), p.board.here()
	if f == nil || p.width < besideLocks && !p.theme.Flow {
		return nil
	}
	if _, known := p.runs[f]; known {
		return nil
	}
	p.runs[f] = nil
	return begin(func(ctx context.Context) any {
		_, result, err := p.counterexample(ctx, c.Lock, c.Config, f)
		if err != nil {
			return foundRun{f, nil}
		}
		return foundRun{f, lesson.Of(result)}
	})
}

func (p *matrixPage) told(answer any) act {
	if done, ok := answer.(foundRun); ok {
		p.runs[done.of] = done.run
	}
	return nil
}

// example draws the run of the chosen violation up to it; nothing if it is not known.
func (p *matrixPage) example(w, h int) []render.Line {
	f := p.board.found()
	if f == nil || p.runs[f] == nil {
		return nil
	}
	run := p.runs[f]
	at := foundAt(run, f)
	return render.Lanes(p.picture.of(run), render.Cursor{At: at}, p.labels, p.theme, w, min(h, at+6))
}

// foundAt is the row of the violation that a run was chosen for.
func foundAt(run *lesson.Run, f *explore.Found) int {
	return run.Found[max(0, run.FirstOf(f.Violation.Invariant))].Row
}
