package pages

import (
	"strconv"
	"time"

	"lockstep/internal/course"
)

// A talk is the presenter's mode: fewer and larger elements on a page, the keys of a
// remote, a timer, notes. It saves nothing. Pages find it in shared; it is nil while
// nobody presents.
type talk struct {
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
	s.talk = &talk{timer: timer{spent: map[string]time.Duration{}}, pane: stepsPane}
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

// chapterOf returns the open chapter; an empty one for none.
func (s *Shell) chapterOf() (of course.Chapter) {
	for _, p := range s.stack {
		if ch, ok := p.(*chapterPage); ok {
			of = ch.chapter
		}
	}
	return of
}
