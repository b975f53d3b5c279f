package pages

import "lockstep/scenarios"

// A slide is what a large page of a story shows at once: a step, and then its
// questions, answers and cards one by one.
type slide struct {
	row  int
	kind slideKind
	n    int // which of several questions
}

type slideKind int

const (
	stepSlide   slideKind = iota // what happens; a question about it stands open
	answerSlide                  // what the run has decided, and why
	cardSlide                    // what is violated, and why
	askSlide                     // what will the next command do?
)

// slidesOf returns all slides of a story's run.
func (p *storyPage) slidesOf() (list []slide) {
	for row := range p.run.Rows {
		list = append(list, slide{row, stepSlide, 0})
		for n, q := range p.run.Questions(row) {
			if p.run.Decides(&q, row) == row {
				list = append(list, slide{row, answerSlide, n})
			}
		}
		if len(p.run.Rows[row].Found) > 0 {
			list = append(list, slide{row, cardSlide, 0})
		}
		if next := row + 1; next < len(p.run.Rows) && p.run.Rows[next].First {
			for n := range p.run.Questions(next) {
				list = append(list, slide{row, askSlide, n})
			}
		}
	}
	return list
}

// A slideShow is how much of a slide is shown.
type slideShow struct {
	of     int    // the index of the slide
	end    bool   // it is opened from the one after it, and so at its end
	turned bool   // an answer that stands open is shown, or one that is shown is hidden
	given  string // beside it: what the class has said
	reader        // of what is too long for its page
}

// reveal shows the answer beside a given one, or hides it.
func (s *slideShow) reveal(given string) act {
	s.turned, s.given, s.from = !s.turned, given, 0
	return nil
}

// now returns the slide at the cursor.
func (p *storyPage) now() slide {
	at := p.slide
	if p.show.of != at {
		p.show = slideShow{of: at}
	}
	return p.slides[at]
}

// turn goes to the next or previous slide, or scrolls the current one.
func (p *storyPage) turn(by int) (act, bool) {
	if p.run == nil {
		return nil, false
	}
	p.fitSlide()
	p.show.end = false
	if p.show.scroll(p.slideText(p.width), p.room(), by) {
		return nil, true
	}
	if !p.player.toSlide(p.slide + by) {
		return nil, false
	}
	p.arrive()
	p.show = slideShow{of: p.slide, end: by < 0}
	p.fitSlide()
	return nil, true
}

// fitSlide scrolls back to where there is text.
func (p *storyPage) fitSlide() {
	if p.talk == nil || p.run == nil {
		return
	}
	p.now()
	if p.show.end {
		p.show.move(far)
	}
	p.show.fit(p.slideText(p.width), p.room())
}

func (p *storyPage) toEnd() { p.startAt, p.show.end = far, true }

// question returns the question of a slide; nil if there is none. known is true once
// the run has decided it.
func (p *storyPage) question(s slide) (q *scenarios.Prediction, known bool) {
	row := s.row
	if s.kind == askSlide {
		row++
	}
	list := p.run.Questions(row)
	if s.kind == stepSlide {
		for s.n = 0; s.n < len(list)-1 && p.run.Decides(&list[s.n], row) < row; s.n++ {
		}
	}
	if s.n >= len(list) || s.kind == cardSlide {
		return nil, false
	}
	q = &list[s.n]
	return q, s.kind == answerSlide || s.kind == stepSlide && p.run.Decides(q, row) < row
}
