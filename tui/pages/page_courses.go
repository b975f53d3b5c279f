package pages

import (
	"cmp"
	"slices"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/tui/render"
)

// An offer is one course of the list, with its own progress.
type offer struct {
	*course.Course
	at      string
	chapter string // only this one
	store   *progress.Store
}

// chooser returns the list of the courses, or the only one.
func (s *shared) chooser() page {
	if len(s.courses) > 0 {
		return newCoursesPage(s)
	}
	return &coursePage{s}
}

// newCoursesPage returns the list of the courses to choose from, the shortest first: before
// them the first chapter of the usual one, and after them questions.
func newCoursesPage(s *shared) page {
	p := &listPage{shared: s, id: "courses", nth: "nth_course"}
	list := s.offers()
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(a.minutes(), b.minutes()) })
	for i, o := range list {
		if o.ID == s.course.ID && s.course.entered {
			p.at = i
		}
	}
	p.n = len(list) + 1
	p.open = func() act {
		if p.at == len(list) {
			return all(push(p), s.again(s.starts(), false, nil)) // which comes instead of the list above the list
		}
		return list[p.at].open()
	}
	p.items = func() (title string, items []render.Item, about passages) {
		for _, o := range list {
			minutes, guessed := o.Length()
			with := facts{N: len(o.Chapters), Of: minutes}
			if guessed {
				with.Said, with.Of = "~", (minutes+5)/10*10 // no more exact than a guess is
			}
			group := "takes_day"
			if minutes <= 90 {
				group = "takes_hour"
			}
			item := render.Item{Group: s.Text(group), Title: o.Title(s.lang), Note: s.Fill("course_size", with)}
			if o.chapter != "" {
				item = render.Item{Group: s.Text("takes_minutes"), Title: s.lockName(o.chapter)}
			}
			items = append(items, item)
		}
		items = append(items, render.Item{Group: s.Text("takes_unsure"), Title: s.Text("begin_here")})
		title, about = s.Text("choose_course"), passages{s.passage("end_own", s.Text("end_own_says"))}
		if p.at == len(list) {
			return title, items, about
		}
		chosen := list[p.at]
		says := s.passage("about_course", chosen.Described(s.lang))
		if chosen.chapter != "" {
			says = s.lockClaims(chosen.chapter)
		}
		return title, items, append(passages{says}, about...)
	}
	return p
}

// offers opens the courses, and the first chapter of the usual one by itself.
func (s *shared) offers() (list []offer) {
	for _, c := range s.courses {
		o := offer{at: c.At}
		o.Course, o.store = c.Open()
		if list = append(list, o); o.ID == course.Builtin {
			o.chapter = o.Chapters[0].ID
			list = append(list, o)
		}
	}
	return list
}

// minutes is the place of an offer in the list.
func (o offer) minutes() int {
	n, _ := o.Length()
	if o.chapter != "" {
		return 0
	}
	return n
}

// beginAt opens a chapter of the usual course.
func (s *shared) beginAt(chapter string) act {
	for _, o := range s.offers() {
		if o.ID == course.Builtin {
			o.chapter = chapter
			return o.open()
		}
	}
	return nil
}

// open makes the course the present one, unless it is.
func (o offer) open() act {
	return func(s *Shell) Cmd {
		if o.ID != s.course.ID {
			s.switchTo(o)
		}
		if o.chapter != "" {
			return restack(s.chapterPages(ChapterPlace(o.chapter)))(s)
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
