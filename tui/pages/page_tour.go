package pages

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// tourStory is the story of the tour: a lease ends during the work, and two are inside.
// It is in no course, so the tour answers no question before it is asked.
const tourStory = "work_outlives_its_lease"

// A tourPage explains the screen of a story to a new user, on a real story, with the
// words of the glossary.
type tourPage struct {
	*shared
	story *storyPage
	menu
}

// A stop is a step of the tour: a term and a row.
type stop struct {
	terms []string
	row   func(r *lesson.Run) int
	card  bool   // with the card of the violation open
	panes []pane // what it explains
	marks bool   // with the marks of the bands
}

// The stops. The rows are found in the run.
var stops = []stop{
	{terms: []string{"step", "lane", "node"}, row: func(*lesson.Run) int { return 0 }, panes: []pane{stepsPane}},
	{terms: []string{"lit", "keys", "lease"}, row: firstCommand, panes: []pane{sourcePane, keysPane}},
	{terms: []string{"belief", "owner"}, row: twoInside, panes: []pane{beliefsPane}, marks: true},
	{terms: []string{"card", "cause"}, row: twoInside, card: true, panes: []pane{cardPane}},
	{terms: []string{"action", "schedule", "fault"}, row: lastShown, panes: []pane{stepsPane}},
}

// shownViolation returns which violation the tour shows: a second client enters.
func shownViolation(r *lesson.Run) int {
	return max(0, slices.IndexFunc(r.Found, func(f lesson.Found) bool { return f.Invariant == history.MutualExclusion }))
}

func twoInside(r *lesson.Run) int { return r.Found[shownViolation(r)].Row }

// lastShown returns the last row of the run itself; a replay with another lock follows.
func lastShown(r *lesson.Run) int {
	at := len(r.Rows) - 1
	for at > 0 && r.Rows[at].Command != nil && r.Rows[at].Command.Replays() {
		at--
	}
	return at
}

func firstCommand(r *lesson.Run) int {
	for i := range r.Rows {
		if r.Rows[i].Source != "" {
			return i
		}
	}
	return 0
}

var skipKey = keyOf("skip")

func newTourPage(s *shared) *tourPage {
	p := &tourPage{shared: s, menu: menu{0, len(stops)}}
	story, _ := scenarios.Find(tourStory) // a test reads it
	p.story = newStoryPage(s, story, 0)
	return p
}

// opened saves that the tour was taken: it starts by itself only once.
func (p *tourPage) opened() act {
	return all(p.note(progress.Progress{Tour: true}), p.story.opened())
}

// look goes to the row of the current stop.
func (p *tourPage) look() {
	if run := p.story.run; run != nil && len(run.Found) > 0 {
		stop := stops[p.at]
		p.story.seek(stop.row(run))
		p.story.card, p.story.violation, p.story.lit = stop.card, shownViolation(run), stop.panes
		if p.story.pane = beliefsPane; slices.Contains(stop.panes, sourcePane) {
			p.story.pane = sourcePane // in a narrow terminal, in its place
		}
	}
}

func (p *tourPage) settle() act {
	p.look()
	return p.story.settle()
}

func (p *tourPage) waits(name string) patience {
	if skipKey.is(name) {
		return atOnce
	}
	return p.story.waits(name)
}

func (p *tourPage) name() string {
	return p.Count("nth_stop", p.at+1, p.n)
}

func (p *tourPage) title() (left, right string) { return p.Text("tour"), p.name() }

func (p *tourPage) status() (left, right string) {
	if trouble := p.story.trouble(p.story.run != nil); trouble != "" {
		return trouble, ""
	}
	return p.Text("tour_says"), ""
}

func (p *tourPage) keys() []key {
	on := onwardKey.to(func() act {
		if p.at == p.n-1 {
			return p.begin()
		}
		p.move(1)
		return nil
	})
	return []key{on, keyOf("before").by(-1, p.move).when(p.at > 0), skipKey.act(back)}
}

// begin leads from the tour to a choice of course, or to the only one.
func (p *tourPage) begin() act {
	if len(p.courses) > 0 {
		return instead(newCoursesPage(p.shared))
	}
	return instead(&coursePage{p.shared})
}

// body draws the story's screen and the explanation below it.
func (p *tourPage) body(w, h int) render.Lines {
	if p.story.run == nil {
		return p.story.body(w, h)
	}
	text := p.terms(stops[p.at].terms, w)
	if stops[p.at].marks {
		text = append(text, p.BandLegend(w)...)
	}
	text = text[:min(len(text), h*2/3)]
	out := p.story.body(w, h-len(text)-1)
	out = append(out.Block(w, h-len(text)-1), p.Heading(p.Text("tour"), w))
	return append(out, text...)
}
