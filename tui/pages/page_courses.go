package pages

import (
	"lockstep/internal/course"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/tui/render"
)

// A coursesPage lists the courses to choose from.
type coursesPage struct {
	*shared
	list []offer
	menu menu
}

// An offer is one course of the list, with its own progress.
type offer struct {
	*course.Course
	at    string
	store *progress.Store
	err   error
}

var coursesKey = newKey(learning, 97, "courses", "o")

func newCoursesPage(s *shared) *coursesPage {
	p := &coursesPage{shared: s}
	for i, c := range s.courses {
		o := offer{at: c.At}
		if o.Course, o.store, o.err = c.Open(); o.err != nil {
			o.Course = &course.Course{ID: c.At}
		}
		p.list = append(p.list, o)
		if o.ID == s.course.ID {
			p.menu.at = i
		}
	}
	p.menu.n = len(p.list)
	return p
}

func (p *coursesPage) title() (left, right string) { return p.Text("courses"), "" }

func (p *coursesPage) status() (left, right string) {
	return p.menu.nth(p.Book, "nth_course"), ""
}

func (p *coursesPage) keys() []key { return p.menu.keys(p.open) }

// open opens the course at the cursor.
func (p *coursesPage) open() act {
	chosen := p.list[p.menu.at]
	if chosen.err != nil {
		return say(p.in(chosen.err))
	}
	return func(s *Shell) Cmd {
		if chosen.ID != s.course.ID {
			s.switchTo(chosen)
		}
		return restack([]page{newLocksPage(s.shared, ""), &coursePage{s.shared}})(s)
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

func (p *coursesPage) body(w, h int) render.Lines {
	items := make([]render.Item, len(p.list))
	for i, o := range p.list {
		minutes, guessed := o.Length()
		with := facts{N: len(o.Chapters), Of: minutes}
		if guessed {
			with.Said, with.Of = "~", (minutes+5)/10*10 // no more exact than a guess is
		}
		items[i] = render.Item{Title: o.Title(p.lang), Note: p.Fill("course_size", with)}
	}
	chosen := p.list[p.menu.at]
	about := []lesson.Part{p.passage("about_course", chosen.Described(p.lang))}
	if chosen.err != nil {
		about = []lesson.Part{{Label: p.Glyphs.Bad, Text: p.firstLine(chosen.err)}}
	}
	return p.choosing(p.Text("choose_course"), items, p.menu.at, about, w, h)
}
