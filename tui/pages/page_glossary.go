package pages

import (
	"slices"

	"lockstep/internal/lesson"
	"lockstep/tui/render"
)

// The words of the glossary, in the order in which a learner meets them: on the screen,
// and in texts.
var (
	onScreen = []string{"step", "lane", "world", "strand", "node", "time", "lit", "keys", "card", "cause"}
	ofBands  = []string{"axis", "belief", "owner", "overlap"} // on a terminal
	spokenOf = []string{
		"client", "lease", "ttl", "token", "fencing-token", "critical-section", "resource", "orphan", "push", "held-command", "lost-wake-up", "schedule", "action", "fault", "history", "event",
		"operation", "invariant", "violation", "counterexample",
	}
)

// A glossaryPage covers a page instead of its help.
type glossaryPage struct{ covering }

func newGlossaryPage(s *shared, under page) *glossaryPage {
	p := &glossaryPage{covering{textPage: textPage{shared: s}, under: under}}
	p.text = p.lines
	return p
}

func (p *glossaryPage) lines(w int) render.Lines {
	list := func(heading string, ids ...string) render.Lines {
		return append(render.Lines{p.Heading(p.Text(heading), w)}, p.terms(ids, w)...)
	}
	out := list("on_screen", onScreen...)
	if !p.Flow { // or else a picture has a legend of its own
		out = append(list("on_screen", slices.Concat(onScreen, ofBands)...), nil)
		out = append(out, p.Legend(w)...)
	}
	return append(append(out, nil), list("words", spokenOf...)...)
}

// terms returns what the glossary says of terms.
func (s *shared) terms(ids []string, w int) render.Lines {
	var parts passages
	for _, id := range ids {
		term := s.Term(id)
		parts = append(parts, lesson.Part{Label: term.Name, Text: term.Says})
	}
	return s.Passages(parts, w)
}
