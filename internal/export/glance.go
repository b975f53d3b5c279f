package export

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lockstep/internal/lesson"
)

const (
	glanceWidth = 1000
	glanceLeft  = 70 // left end of the steps
	glanceLane  = 20 // distance of two lanes
	glanceTop   = 16
)

// glanceStep is the width of a step.
func (l *Lesson) glanceStep() float64 {
	return round(float64(glanceWidth-glanceLeft-10) / float64(max(1, len(l.Steps))))
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// number formats a coordinate.
func number(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// glance draws the whole run in one small picture, time to the right: who holds
// the lock, who acts, what fails, and the causes.
func (l *Lesson) glance() string {
	var s svg
	height := glanceTop + glanceLane*len(l.Lanes) + 14
	s.put(`<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, glanceWidth, height, escape(l.text("export_glance")))
	dx := l.glanceStep()
	x := func(step float64) string { return number(glanceLeft + step*dx) }
	for _, v := range l.Violations {
		s.put(`<line class="fail" x1="%s" x2="%[1]s" y1="%[2]d" y2="%[3]d"/>`, x(float64(v.Step)-.5), glanceTop-6, height-14)
	}
	for n, lane := range l.Lanes {
		y := glanceTop + glanceLane*n + glanceLane/2
		s.put(`<g class="c%d"><text x="4" y="%d">%s</text>`, lane.Client, y+4, escape(lane.Name))
		s.put(`<line class="base" x1="%d" x2="%d" y1="%d" y2="%[3]d"/>`, glanceLeft, glanceWidth-10, y)
		l.glanceBelief(&s, n, y, x)
		l.glanceActs(&s, n, y, x)
		s.put(`</g>`)
	}
	for _, step := range l.failing() {
		s.put(`<text class="x" text-anchor="middle" x="%s" y="%d">✗</text><text text-anchor="middle" x="%[1]s" y="%[3]d">%[4]d</text>`, x(float64(step)-.5), glanceTop-5, height-3, step)
	}
	// Later steps are hidden while the page shows one step at a time.
	s.put(`<rect class="veil" x="%d" y="0" width="%d" height="%d"/>`, glanceLeft, glanceWidth, height)
	s.put(`<line class="cur" x1="%s" x2="%[1]s" y1="2" y2="%[2]d"/></svg>`, x(.5), height-12)
	return s.String()
}

// failing lists the steps with violations.
func (l *Lesson) failing() (steps []int) {
	for i, s := range l.Steps {
		if len(s.Violations) > 0 {
			steps = append(steps, i+1)
		}
	}
	return steps
}

// glanceBelief draws when the lane's client believes that it holds the lock.
func (l *Lesson) glanceBelief(s *svg, lane, y int, x func(float64) string) {
	who := l.Lanes[lane].Client
	if !l.Lanes[lane].Main() {
		return
	}
	hold := func(i int) lesson.Hold { return l.Steps[i].Beliefs[who-1].Hold }
	for from := 0; from < len(l.Steps); {
		to := from
		for to < len(l.Steps) && hold(to) == hold(from) {
			to++
		}
		if class := map[lesson.Hold]string{lesson.Held: "held", lesson.AtWork: "work", lesson.Wrongly: "wrong", lesson.Unprotected: "wrong"}[hold(from)]; class != "" {
			width, _ := strconv.ParseFloat(x(float64(to)), 64)
			left, _ := strconv.ParseFloat(x(float64(from)), 64)
			s.put(`<rect class="%s" x="%s" y="%d" width="%s" height="8"/>`, class, x(float64(from)), y-4, number(width-left))
		}
		from = to
	}
}

// glanceActs draws when the lane does something.
func (l *Lesson) glanceActs(s *svg, lane, y int, x func(float64) string) {
	var path strings.Builder
	for i, step := range l.Steps {
		if m := step.Marks[lane]; m == lesson.Acts || m == lesson.Hit || m == lesson.Faulted {
			fmt.Fprintf(&path, "M%s %dv12", x(float64(i)+.5), y-6)
		}
	}
	if path.Len() > 0 {
		s.put(`<path class="acts" d="%s"/>`, path.String())
	}
}
