package lesson

import (
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// Landmark returns the first row after another one that is worth a stop: the first
// violation of an invariant, a fault, an expiry, an answer, what an acquire came to, or
// the end of a command that has a caption in the language. Without any it is the last
// row.
func (r *Run) Landmark(after int, language string) int {
	for row := after + 1; row < len(r.Rows); row++ {
		if r.isLandmark(row, language) {
			return row
		}
	}
	return len(r.Rows) - 1
}

func (r *Run) isLandmark(row int, language string) bool {
	for _, i := range r.Rows[row].Found {
		if r.FirstOf(r.Found[i].Invariant) == i {
			return true
		}
	}
	for _, q := range r.Questions(row) {
		if r.Decides(&q, row) == row {
			return true
		}
	}
	for _, e := range r.History.Events[r.Rows[row].From:r.Rows[row].To] {
		if e.Kind == history.Fault || e.Kind == history.Expire || e.Op == history.OpAcquire && e.Kind != history.Invoke {
			return true
		}
	}
	step := r.Step(row)
	return step != nil && r.EndsCommand(row) && step.Captions[language] != ""
}

// EndsCommand reports whether a row is the last one of its command.
func (r *Run) EndsCommand(row int) bool {
	return row+1 == len(r.Rows) || r.Rows[row+1].First
}

// Told returns the command whose caption goes with a row. A caption says what its
// command does, so it comes with the command's last row; only one that has introduced a
// question comes before, and one from whose command a violation has come.
func (r *Run) Told(row int) *scenarios.Step {
	from, _ := r.RowsOf(r.Rows[row].Beat)
	if r.Rows[row].Beat < 0 || r.EndsCommand(row) || len(r.Questions(row)) > 0 || r.Met(row) > r.Met(max(0, from-1)) {
		return r.Step(row)
	}
	return r.Step(max(0, from-1))
}
