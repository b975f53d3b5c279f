package pages

import (
	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/tui/render"
)

// An offer is one course of the list, with its own progress.
type offer struct {
	*course.Course
	at    string
	store *progress.Store
	err   error
}

// chooser returns the list of the courses, or the only one.
func (s *shared) chooser() page {
	if len(s.courses) > 0 {
		return newCoursesPage(s)
	}
	return &coursePage{s}
}

// newCoursesPage returns the list of the courses to choose from.
func newCoursesPage(s *shared) page {
	p := &listPage{shared: s, id: "courses", nth: "nth_course"}
	var list []offer
	for i, c := range s.courses {
		o := offer{at: c.At}
		if o.Course, o.store, o.err = c.Open(); o.err != nil {
			o.Course = &course.Course{ID: c.At}
		}
		list = append(list, o)
		if o.ID == s.course.ID {
			p.at = i
		}
	}
	p.n = len(list)
	p.open = func() act { return list[p.at].open() }
	p.items = func() (title string, items []render.Item, about passages) {
		for _, o := range list {
			minutes, guessed := o.Length()
			with := facts{N: len(o.Chapters), Of: minutes}
			if guessed {
				with.Said, with.Of = "~", (minutes+5)/10*10 // no more exact than a guess is
			}
			items = append(items, render.Item{Title: o.Title(s.lang), Note: s.Fill("course_size", with)})
		}
		chosen := list[p.at]
		about = passages{s.passage("about_course", chosen.Described(s.lang))}
		if chosen.err != nil {
			about = passages{{Label: s.Glyphs.Bad, Text: s.firstLine(chosen.err)}}
		}
		return s.Text("choose_course"), items, about
	}
	return p
}

// open makes the course the present one, unless it is.
func (o offer) open() act {
	return func(s *Shell) Cmd {
		if o.err != nil {
			return s.do(say(s.in(o.err)))
		}
		if o.ID != s.course.ID {
			s.switchTo(o)
		}
		return restack(s.opensIn())(s)
	}
}

// switchTo makes another course the present one, with its stories, levels and progress.
func (s *Shell) switchTo(o offer) {
	s.course = newCourse(Options{Course: o.Course, CourseAt: o.at})
	s.readStories()
	s.levels, s.game = newLevels(s.course, s.levels.search), nil
	s.openStore(o.store)
	s.course.resume(s.progress)
}
