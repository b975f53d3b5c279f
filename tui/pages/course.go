package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
)

// A part is one step of a chapter.
type part string

// The parts in their order. A chapter leaves out those without content.
const (
	claimPart   part = "claim"
	workPart    part = "work"
	breakPart   part = "break"
	whyPart     part = "why"
	fixPart     part = "fix"
	comparePart part = "compare"
	tryPart     part = "try"  // the learner's turn, against the lock ...
	holdPart    part = "hold" // ... and against its fix
	playPart    part = "play" // a story as it is; the next one is play-2
	levelPart   part = "level"
	closingPart part = "closing"
)

// nth returns the i-th part of a kind of which a chapter may have several.
func nth(kind part, i int) part {
	if i == 0 {
		return kind
	}
	return part(fmt.Sprintf("%s-%d", kind, i+1))
}

// kind returns the kind of a part, without its number.
func (p part) kind() part {
	kind, _, _ := strings.Cut(string(p), "-")
	return part(kind)
}

// which returns its number among the parts of its kind.
func (p part) which() (i int) {
	for nth(p.kind(), i) != p {
		i++
	}
	return i
}

func partsOf(c course.Chapter) []part {
	parts, plays := []part{claimPart}, c.Plays()
	for i, story := range plays {
		next := breakPart
		if i -= len(plays) - len(c.Stories); i >= 0 {
			next = nth(playPart, i)
		} else if story == c.Works {
			next = workPart
		}
		parts = append(parts, next)
	}
	if c.Lock != "" {
		parts = append(parts, whyPart)
	}
	if c.Fix != "" {
		parts = append(parts, fixPart, comparePart)
	}
	if c.Attack != "" {
		parts = append(parts, tryPart)
	}
	if c.Hold != "" {
		parts = append(parts, holdPart)
	}
	for i := range c.Try {
		parts = append(parts, nth(levelPart, i))
	}
	if c.Closing {
		parts = append(parts, closingPart)
	}
	return parts
}

// A courseState is the state of the course. It outlives its pages.
type courseState struct {
	*course.Course
	where   string // what a command line calls it; "" for the one that is open where none is named
	chapter menu
	entered bool // a chapter was open
}

func newCourse(o Options) *courseState {
	c := &courseState{Course: o.Course, where: o.CourseAt}
	if c.Course == nil {
		c.Course = course.Usual()
	}
	c.chapter.n = len(c.Chapters)
	return c
}

// resume selects the chapter that was open last, or the one after it if it is done.
func (c *courseState) resume(p progress.Progress) {
	last := slices.IndexFunc(c.Chapters, func(ch course.Chapter) bool { return ch.ID == p.Last })
	c.chapter.at = max(0, last)
	if p.Chapters[c.open().ID].Done {
		c.chapter.move(1)
	}
}

// with returns the stories of the course and of the library. A story of the course
// replaces one of the library with the same name.
func (c *courseState) with(library []*scenarios.Story) []*scenarios.Story {
	all := slices.Clone(c.Stories)
	for _, s := range library {
		if !slices.ContainsFunc(c.Stories, func(own *scenarios.Story) bool { return own.Name == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}

// open returns the chapter at the cursor.
func (c *courseState) open() course.Chapter { return c.Chapters[c.chapter.at] }

// whereLeft returns the part at which a chapter was left. A chapter that is done starts
// again, and so does every chapter in front of a class.
func (s *shared) whereLeft(c course.Chapter) int {
	if was := s.progress.Chapters[c.ID]; !was.Done && s.talk == nil {
		return max(0, slices.Index(partsOf(c), part(was.Part)))
	}
	return 0
}

// finished reports whether a learner has done what a chapter asks for: answered its
// questions, rightly or not, and settled its levels.
func (s *shared) finished(c course.Chapter) bool {
	for _, id := range c.Levels() {
		if !s.isSettled(id) {
			return false
		}
	}
	return !slices.ContainsFunc(c.Plays(), s.isOpen)
}

// isOpen reports whether a story has a question that the learner has not answered.
func (s *shared) isOpen(story *scenarios.Story) bool {
	return len(s.questions([]*scenarios.Story{story}, func(_ progress.Answer, given bool) bool { return !given })) > 0
}

// isSettled reports whether a learner has won a level, rightly said that nobody can, or
// given up. To have opened it, or to have been wrong, is not enough.
func (s *shared) isSettled(id string) bool {
	r, level := s.progress.Levels[id], s.levels.find(id)
	return r.Moves > 0 || r.GaveUp || r.Claimed && level != nil && level.Par == 0
}

// forgetChapter deletes the progress of a chapter and nothing else.
func forgetChapter(c course.Chapter) func(*progress.Progress) {
	return func(p *progress.Progress) {
		delete(p.Chapters, c.ID)
		for _, level := range c.Levels() {
			delete(p.Levels, level)
		}
		for _, story := range c.Plays() {
			delete(p.Predictions, story.Name)
		}
	}
}

// chaptersDone counts finished chapters.
func (s *shared) chaptersDone() int {
	n := 0
	for _, ch := range s.course.Chapters {
		if s.progress.Chapters[ch.ID].Done {
			n++
		}
	}
	return n
}

// chapterName returns the title of a chapter, or else the name of its lock.
func (s *shared) chapterName(c course.Chapter) string {
	return cmp.Or(s.course.Text(s.lang, c.ID).Title, s.lockName(c.Lock))
}

// chapterAbout returns the description of a chapter, or else the claim of its lock.
func (s *shared) chapterAbout(c course.Chapter) lesson.Part {
	if text := s.course.Said(s.lang, c.ID).About; text != "" {
		return s.passage("about", text)
	}
	return s.lockClaims(c.Lock)
}

// lockClaims returns the claim of a lock.
func (s *shared) lockClaims(lock string) lesson.Part {
	return s.passage("claims", s.Lock(lock).Claims)
}

// partName returns the name of a part, with that of its story or level.
func (s *shared) partName(c course.Chapter, p part) string {
	name := s.Text("part_" + string(p.kind()))
	switch p.kind() {
	case claimPart:
		if c.Lock == "" {
			name = s.Text("part_about")
		}
	case workPart, breakPart: // the name does not tell which
		if name = s.Text("part_run"); p != partsOf(c)[1] {
			name = s.Text("part_other")
		}
	case playPart:
		if story := c.Stories[p.which()]; !s.isAsked(story) { // its title may be the answer
			name = s.Pair(name, story.Title(s.Book))
		}
	case levelPart:
		if level := s.levels.find(c.Try[p.which()]); level != nil {
			name = s.Pair(name, level.About(s.Book, s.lang).Name)
		}
	}
	return name
}

// isAsked reports whether a story still asks the learner; nobody is asked in a talk.
func (s *shared) isAsked(story *scenarios.Story) bool { return s.talk == nil && s.isOpen(story) }

// nthChapter returns the number of the current chapter.
func (s *shared) nthChapter() string {
	c := s.course
	return s.Fill("nth_chapter", facts{N: c.chapter.at + 1, Of: c.chapter.n, To: s.chaptersDone()})
}

// coursePlace returns how much of the course is done and how to continue.
func (s *shared) coursePlace() facts {
	c := s.course
	return facts{N: s.chaptersDone(), Of: c.chapter.n, What: s.named(courseKey), Said: c.open().ID, Story: c.where}
}
