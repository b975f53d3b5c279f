package pages

import (
	"slices"
	"strconv"
	"time"

	"lockstep/internal/course"
	"lockstep/internal/prose"
)

// A talk is the walkthrough in front of a class, as a presenter's mode: fewer and
// larger things on a page, a remote's keys, a timer, notes. Nothing that happens in it
// is kept. Pages find it in shared; it is nil while nobody presents.
type talk struct {
	clock  func() time.Time
	timer  timer
	blank  bool   // nothing is shown
	noted  bool   // the notes are shown ...
	notes  reader // ... from there on
	number string // of a chapter, as far as it is typed
	pane   pane   // the one that is shown of a run
}

func newTalk(clock func() time.Time) *talk {
	return &talk{clock: clock, timer: timer{spent: map[string]time.Duration{}}, pane: stepsPane}
}

// A leaf is a page that a remote turns: by one of whatever it shows at a time, on or
// back. It says false, and stays, where it has no more of that.
type leaf interface {
	turn(by int) (a act, more bool)
	// toEnd goes to its last, as soon as it is there: that is where one comes to who
	// goes back.
	toEnd()
}

// present begins the presenter's mode, with a timer of its own, or ends it.
func (s *Shell) present() act {
	if s.talk != nil {
		s.talk = nil
		return nil
	}
	s.talk = newTalk(s.clock)
	return nil
}

// opensIn are the pages by which a talk begins: the course.
func (s *shared) opensIn() []page {
	return []page{newLocksPage(s, ""), &coursePage{s}}
}

// leaf is the page that can be turned; nil if there is none.
func (s *Shell) leaf() leaf {
	l, _ := s.page().(leaf)
	return l
}

// turnPage goes on or back, and begins the timer.
func (s *Shell) turnPage(by int) act {
	a, more := s.leaf().turn(by)
	if !more {
		return say(s.book.Text(map[bool]string{true: "talk_end", false: "talk_start"}[by > 0]))
	}
	if s.talk.timer.never() {
		return all(a, s.startTimer())
	}
	return a
}

// hears says whether a key is done with: one that brings back what was blanked does no
// more. A number that is not gone on with is forgotten.
func (t *talk) hears(name string) bool {
	if !digitKey.is(name) && !goThereKey.is(name) && !backKey.is(name) {
		t.number = ""
	}
	was := t.blank && !overtakes(name) && !quitKey.is(name)
	t.blank = t.blank && !was
	return was
}

// toChapter opens the chapter with the number that was typed.
func (s *Shell) toChapter() act {
	n, err := strconv.Atoi(s.talk.number)
	s.talk.number = ""
	if of := s.course.chapter.n; err != nil || n < 1 || n > of {
		return say(s.book.Fill("talk_no_chapter", prose.TextFacts{N: n, Of: of}))
	}
	path := s.opensIn()
	s.course.chapter.at = n - 1
	return restack(append(path, newChapterPage(s.shared, 0)))
}

// chapterOf is the id of the chapter that is open; "" if none is.
func (s *Shell) chapterOf() string {
	i := slices.IndexFunc(s.stack, func(p page) bool { _, ok := p.(*chapterPage); return ok })
	if i < 0 {
		return ""
	}
	return s.stack[i].(*chapterPage).chapter.ID
}

// minutesOf is how long a chapter is to take; 0 if nobody has said.
func (s *Shell) minutesOf(chapter string) int {
	i := slices.IndexFunc(s.course.Chapters, func(c course.Chapter) bool { return c.ID == chapter })
	if i < 0 {
		return 0
	}
	return s.course.Chapters[i].Minutes
}

// notesOf is what a trainer is told of a chapter.
func (s *Shell) notesOf(chapter string) string { return s.course.Text(s.lang, chapter).Notes }
