package pages

import (
	"slices"
	"strconv"
	"time"

	"lockstep/internal/course"
)

// A talk is the presenter's mode: fewer and larger elements on a page, the keys of a
// remote, a timer, notes. It saves nothing. Pages find it in shared; it is nil while
// nobody presents.
type talk struct {
	clock  func() time.Time
	timer  timer
	blank  bool   // nothing is shown
	noted  bool   // the notes are shown ...
	notes  reader // ... from there on
	number string // of a chapter, as far as it is typed
	pane   pane   // the one that is shown of a run
}

// A turner is a page that a remote turns, one item at a time, forwards or back. It
// returns false at its end.
type turner interface {
	turn(by int) (a act, more bool)
	// toEnd goes to the last item as soon as it is there, for a remote that goes back.
	toEnd()
}

// present starts or ends the presenter's mode, with a new timer.
func (s *Shell) present() act {
	if s.talk != nil {
		s.talk = nil
		return nil
	}
	s.talk = &talk{clock: s.clock, timer: timer{spent: map[string]time.Duration{}}, pane: stepsPane}
	return nil
}

// opensIn returns the first pages of a talk: the course.
func (s *shared) opensIn() []page {
	return []page{newLocksPage(s, ""), &coursePage{s}}
}

// turner returns the page that can be turned; nil if there is none.
func (s *Shell) turner() turner {
	l, _ := s.page().(turner)
	return l
}

// turnPage goes on or back, and starts the timer.
func (s *Shell) turnPage(by int) act {
	a, more := s.turner().turn(by)
	if !more {
		return say(s.Text(map[bool]string{true: "talk_end", false: "talk_start"}[by > 0]))
	}
	if s.talk.timer.never() {
		return all(a, s.startTimer())
	}
	return a
}

// hears reports whether a key needs no further handling. A key that ends a blank screen
// does nothing else. Any other key discards a typed number.
func (t *talk) hears(name string) bool {
	if !digitKey.is(name) && !goThereKey.is(name) && !backKey.is(name) {
		t.number = ""
	}
	was := t.blank && !overtakes(name) && !quitKey.is(name)
	t.blank = t.blank && !was
	return was
}

// toChapter opens the chapter with the typed number.
func (s *Shell) toChapter() act {
	n, err := strconv.Atoi(s.talk.number)
	s.talk.number = ""
	if of := s.course.chapter.n; err != nil || n < 1 || n > of {
		return say(s.Count("talk_no_chapter", n, of))
	}
	path := s.opensIn()
	s.course.chapter.at = n - 1
	return restack(append(path, newChapterPage(s.shared, 0)))
}

// chapterOf returns the id of the open chapter; "" for none.
func (s *Shell) chapterOf() string {
	i := slices.IndexFunc(s.stack, func(p page) bool { _, ok := p.(*chapterPage); return ok })
	if i < 0 {
		return ""
	}
	return s.stack[i].(*chapterPage).chapter.ID
}

// minutesOf returns the planned minutes of a chapter; 0 if there are none.
func (s *Shell) minutesOf(chapter string) int {
	i := slices.IndexFunc(s.course.Chapters, func(c course.Chapter) bool { return c.ID == chapter })
	if i < 0 {
		return 0
	}
	return s.course.Chapters[i].Minutes
}
