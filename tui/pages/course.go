package pages

import (
	"slices"

	"lockstep/course"
	"lockstep/scenarios/prose"
)

// A part is one step of a chapter.
type part string

// The parts in their order. A chapter leaves out those it has nothing for.
const (
	claimPart   part = "claim"
	workPart    part = "work"
	breakPart   part = "break"
	whyPart     part = "why"
	fixPart     part = "fix"
	comparePart part = "compare"
	tryPart     part = "try"  // the learner's turn, against the lock ...
	holdPart    part = "hold" // ... and against its fix
)

// levelParts are those that are a level each, as Chapter.FixLevels has them.
var levelParts = []part{tryPart, holdPart}

func partsOf(c course.Chapter) []part {
	parts := []part{claimPart}
	if c.Works != nil {
		parts = append(parts, workPart)
	}
	if c.Breaks != nil {
		parts = append(parts, breakPart)
	}
	parts = append(parts, whyPart)
	if c.Fix != "" {
		parts = append(parts, fixPart, comparePart)
	}
	return append(parts, levelParts[:len(c.FixLevels())]...)
}

// A courseState is what is known of the course, whatever page is open.
type courseState struct {
	*course.Course
	broken  error // it could not be read
	chapter menu
	entered bool // a chapter was open
}

// newCourse is at the chapter that was open last, or after it if it is done.
func newCourse(p progress) *courseState {
	c := &courseState{}
	c.Course, c.broken = course.Usual()
	c.chapter.n = len(c.Chapters)
	last := slices.IndexFunc(c.Chapters, func(ch course.Chapter) bool { return ch.ID == p.Last })
	c.chapter.at = max(0, last)
	if c.chapter.n > 0 && p.Chapters[c.open().ID].Done {
		c.chapter.move(1)
	}
	return c
}

// open is the chapter at the cursor.
func (c *courseState) open() course.Chapter { return c.Chapters[c.chapter.at] }

// whereLeft is the part at which a chapter was left. One that is done begins anew.
func (s *shared) whereLeft(c course.Chapter) int {
	if was := s.progress.Chapters[c.ID]; !was.Done {
		return max(0, slices.Index(partsOf(c), was.Part))
	}
	return 0
}

// finished says whether a learner did what a chapter asks for: answered its
// questions, rightly or not, and tried its levels.
func (s *shared) finished(c course.Chapter) bool {
	for _, level := range c.Levels() {
		if _, tried := s.progress.Levels[level]; !tried {
			return false
		}
	}
	for _, story := range c.Plays() {
		for _, step := range story.Steps {
			for _, q := range step.Predict {
				if _, answered := s.progress.Predictions[story.Name][q.Question]; !answered {
					return false
				}
			}
		}
	}
	return true
}

// forgetChapter forgets what was done in a chapter, and nothing else.
func forgetChapter(c course.Chapter) func(*progress) {
	return func(p *progress) {
		delete(p.Chapters, c.ID)
		for _, level := range c.Levels() {
			delete(p.Levels, level)
		}
		for _, story := range c.Plays() {
			delete(p.Predictions, story.Name)
		}
	}
}

// chaptersDone counts them.
func (s *shared) chaptersDone() int {
	n := 0
	for _, ch := range s.course.Chapters {
		if s.progress.Chapters[ch.ID].Done {
			n++
		}
	}
	return n
}

// nthChapter says where one is.
func (s *shared) nthChapter() string {
	c := s.course
	return s.book.Fill("nth_chapter", prose.TextFacts{N: c.chapter.at + 1, Of: c.chapter.n, To: s.chaptersDone()})
}

// coursePlace is how much of the course is done, and how to go on with it; nothing
// where there is no chapter.
func (s *shared) coursePlace() prose.TextFacts {
	c := s.course
	if c.chapter.n == 0 {
		return prose.TextFacts{}
	}
	return prose.TextFacts{N: s.chaptersDone(), Of: c.chapter.n, What: courseKey.names(s.book), Said: c.open().ID}
}
