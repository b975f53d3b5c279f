package trial

import (
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
)

// Table is the summary of a trial: for each hazard the verdict, how far it reaches and
// how long it took; then what was left undecided.
func Table(reports []*Report) string {
	rows := [][]string{{"hazard", "verdict", "bound", "time"}}
	for _, r := range reports {
		rows = append(rows, []string{r.Hazard, string(r.Verdict), r.Reach().String(), r.Took.Round(10 * time.Millisecond).String()})
	}
	var b strings.Builder
	for _, line := range Columns(rows) {
		b.WriteString("\n" + line)
	}
	if left := Undecided(reports); len(left) > 0 {
		b.WriteString("\n" + lang.New("not decided: %s; locktest.Limit, or -lockstep.long, explores for longer", lang.Names(left)).String())
	}
	for _, hint := range Hints(reports) {
		b.WriteString("\n" + hint.String())
	}
	return b.String()
}

// Undecided lists the hazards under which a limit ended the search, and nothing accepts
// that.
func Undecided(reports []*Report) (hazards []string) {
	for _, r := range reports {
		if r.Verdict == explore.Inconclusive && r.Explored.Trouble.None() && r.Accepted == "" {
			hazards = append(hazards, r.Hazard)
		}
	}
	return hazards
}

// Reach is how far a verdict reaches, in a few words.
func (r *Report) Reach() lang.Message {
	switch {
	case r.Skipped || r.States == 0:
		return lang.New("not explored")
	case r.Sampled > 0:
		return lang.New("%d states and %d sampled runs", r.States, r.Sampled)
	case r.Verdict == explore.Inconclusive:
		return lang.New("%d states, and no further", r.States)
	}
	return lang.New("%d states", r.States)
}

// Columns aligns the cells of rows.
func Columns(rows [][]string) (lines []string) {
	for _, row := range rows {
		line := ""
		for column, cell := range row {
			width := 0
			for _, other := range rows {
				width = max(width, cells(other[column]))
			}
			line += cell + strings.Repeat(" ", width-cells(cell)+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
