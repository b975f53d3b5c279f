package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/course"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// Open asks to show a story from a row on, counted from 1. A nameless story is not in
// the list of stories.
type Open struct {
	Story    *scenarios.Story
	At       int
	Nameless bool
}

// GoTo asks to show a place: the page with this many pages of the stack, if it is still
// there, or else a new one.
type GoTo struct {
	Place
	Depth int   // 0 is always a new one
	Open  *Open // what a token holds; nil for another place
}

// Trouble is an error in something that the learner opened from outside.
type Trouble struct{ Err error }

// A Place names a page, in an address of a browser and where a class is to go on:
//
//	                        the list of locks
//	STORY@STEP, TOKEN@STEP  a story of the library, a run, or a story with its text
//	course:CHAPTER/PART@STEP
//	level:LEVEL, level:LOCK a level, those of a lock
//	lock:LOCK, source:LOCK  the stories of a lock, its card and source
//	matrix:LOCK/HAZARD      the cell at the cursor
//	cell:LOCK/HAZARD        all of it
//	search:QUERY
//	which:QUESTION          or an advice
//	diploma:
//	tour:                   the first minute
//	help:PLACE, words:PLACE the keys of a page, the glossary
//
// Without a name it is the list of them, or the first. String writes it, and ParsePlace
// reads it.
type Place struct {
	Kind, Name, Part string
	Step             int // from 1; 0 for the usual one
}

// ChapterPlace returns the place of a chapter, where it was left; "" is the course.
func ChapterPlace(id string) Place { return Place{Kind: "course", Name: id} }

func (p Place) String() string {
	if p.Kind == "" {
		return p.rest()
	}
	return p.Kind + ":" + p.rest()
}

// rest returns the place without its kind.
func (p Place) rest() string {
	out := p.Name
	if p.Part != "" {
		out += "/" + p.Part
	}
	if p.Step > 0 {
		out += "@" + strconv.Itoa(p.Step)
	}
	return out
}

// ParsePlace reads an address. There may be no such place.
func ParsePlace(address string) (p Place) {
	kind, rest, ok := strings.Cut(address, ":")
	if p.Kind, p.Name = kind, rest; !ok || kind == "" {
		p.Kind, p.Name = "", address
	}
	if i := strings.LastIndexByte(p.Name, '@'); i >= 0 {
		if n, _ := strconv.Atoi(p.Name[i+1:]); n > 0 && strconv.Itoa(n) == p.Name[i+1:] {
			p.Name, p.Step = p.Name[:i], n
		}
	}
	if name, part, _ := strings.Cut(p.Name, "/"); part != "" {
		p.Name, p.Part = name, part
	}
	return p
}

// address returns the place of the page on top. One that waits for what it shows is where
// its address says, or else still where the page before it was.
func (s *Shell) address() string {
	if s.waits(Key{}) == atOnce {
		s.placed = s.placeAt(len(s.stack)).String()
	}
	return s.placed
}

// placeAt returns the place of the page at a depth of the stack: that of the one below, if
// it has none of its own.
func (s *Shell) placeAt(depth int) (at Place) {
	for _, p := range s.stack[:depth] {
		if own, ok := s.placeOf(p); ok {
			at = own
		}
	}
	return at
}

// placeOf returns the place of a page; false if it has none of its own, at least now.
func (s *shared) placeOf(p page) (at Place, ok bool) {
	switch p := p.(type) {
	case *locksPage:
	case *storiesPage:
		at = Place{Kind: "lock", Name: p.lock.ID}
	case *textPage:
		return p.at, p.at != Place{}
	case *storyPage:
		where, ok := p.place()
		return Place{Name: cmp.Or(where.Story, where.What), Step: where.Step}, ok
	case *coursePage:
		at = ChapterPlace("")
	case *chapterPage:
		at = Place{Kind: "course", Name: p.chapter.ID, Part: string(p.part())}
		if inner, ok := p.page.(stepwise); ok {
			at.Step = *inner.cursor() + 1
		}
	case *levelsPage:
		at = Place{Kind: "level", Name: p.lock}
	case *gamePage:
		if p.game.level != nil {
			return ParsePlace("level:" + p.game.level.ID), true
		}
		where, ok := p.place()
		return Place{Name: where.What}, ok
	case *matrixPage:
		at = p.board.place("matrix")
	case *cellPage:
		at = p.board.place("cell")
	case *searchPage:
		at = ParsePlace("search:" + p.query)
	case *forkPage:
		at = Place{Kind: "which", Name: p.question}
	case *advicePage:
		at = Place{Kind: "which", Name: p.id}
	case *tourPage:
		at = Place{Kind: "tour"}
	case *helpPage:
		at, ok = s.placeOf(p.under)
		return ParsePlace("help:" + at.String()), ok
	case *glossaryPage:
		at, ok = s.placeOf(p.under)
		return ParsePlace("words:" + at.String()), ok
	default:
		return at, false
	}
	return at, true
}

// goTo opens a place, or searches for what its name may mean.
func (s *Shell) goTo(to GoTo) act {
	if to.Depth > 0 && to.Depth <= len(s.stack) && s.placeAt(to.Depth) == to.Place {
		return linked(restack(s.stack[:to.Depth]))
	}
	at, over := to.Place, to.Kind == "help" || to.Kind == "words"
	if over {
		at = ParsePlace(at.rest())
	}
	pages := s.pagesOf(at)
	if to.Open != nil {
		pages = s.openPages(*to.Open)
	}
	if s.then = nil; over && pages != nil { // when the page is there, of whose run nothing comes while it is covered
		s.then = linked(func(s *Shell) Cmd {
			if to.Kind == "words" {
				return s.do(push(newGlossaryPage(s.shared, s.page())))
			}
			return s.do(s.help())
		})
	}
	if pages == nil {
		return all(linked(restack(s.pagesOf(Place{Kind: "search", Name: at.Name}))), say(s.Gap("no_such_place", render.Trim(render.Plain(to.String()), 60))))
	}
	s.placed = to.String() // also while it waits
	return linked(restack(pages))
}

// linked notes that an address has opened the page that an act opens.
func linked(a act) act {
	return func(s *Shell) Cmd {
		cmd := a(s)
		s.linked = s.top.generation
		return cmd
	}
}

// pagesOf returns the pages that lead to a place; nil if there is none.
func (s *Shell) pagesOf(p Place) []page {
	path := []page{newLocksPage(s.shared, "")}
	switch p.Kind {
	case "":
		for _, story := range s.stories {
			if story.Name == p.Name {
				return s.pathTo(story.Strategy(), story, max(1, p.Step)-1)
			}
		}
		if p != (Place{}) {
			return nil
		}
	case "course":
		return s.chapterPages(p)
	case "level":
		return s.levelPages(p.rest())
	case "lock", "source":
		info, ok := strategies.Find(p.Name)
		if !ok {
			return nil
		}
		if path = s.pathTo(p.Name, nil, 0); p.Kind == "source" {
			path = append(path, newLockPage(s.shared, info))
		}
	case "matrix", "cell":
		if s.board == nil || !s.board.moveTo(p.Name, p.Part) {
			return nil
		}
		table := newMatrixPage(s.shared)
		if path = append(path, table); p.Kind == "cell" {
			path = append(path, newCellPage(table))
		}
	case "search":
		search := newSearchPage(s.shared)
		search.typed(Key{Text: p.rest()})
		return append(path, search)
	case "which":
		first := newWhichPage(s.shared)
		path = append(s.opensIn(), first)
		if p.Name != "" && p.Name != first.question {
			to := first.leadsTo(p.Name)
			if to == nil {
				return nil
			}
			path = append(path, to)
		}
	case "words":
		if p.rest() != "" {
			return nil
		}
		path = append(path, newGlossaryPage(s.shared, path[0]))
	case "diploma":
		return append(s.opensIn(), newDiplomaPage(s.shared))
	case "tour":
		return append(path, newTourPage(s.shared))
	default:
		return nil
	}
	return path
}

// chapterPages returns the pages that lead to the course, a chapter or a part of one.
func (s *Shell) chapterPages(p Place) []page {
	path := s.opensIn()
	if p.Name == "" {
		return path
	}
	i := slices.IndexFunc(s.course.Chapters, func(c course.Chapter) bool { return c.ID == p.Name })
	if i < 0 {
		return nil
	}
	at := s.whereLeft(s.course.Chapters[i])
	if p.Part != "" {
		at = slices.Index(partsOf(s.course.Chapters[i]), part(p.Part))
	}
	if at < 0 {
		return nil
	}
	s.course.chapter.at = i
	chapter := newChapterPage(s.shared, at)
	if inner, ok := chapter.page.(stepwise); ok && p.Step > 0 {
		*inner.cursor() = p.Step - 1
	}
	return append(path, chapter)
}

// levelPages returns the pages that lead to all levels, to those of a lock, or to a level.
func (s *Shell) levelPages(name string) []page {
	path := []page{newLocksPage(s.shared, ""), newLevelsPage(s.shared, "")}
	if name == "" {
		return path
	}
	i := slices.IndexFunc(s.levels.list, func(l scenarios.Level) bool {
		return l.ID == name || l.Lock() == name
	})
	if i < 0 {
		return nil
	}
	if lock := s.levels.list[i].Lock(); lock != "" {
		path = append(path, newLevelsPage(s.shared, lock))
	}
	list := path[len(path)-1].(*levelsPage)
	list.at = max(0, slices.Index(list.rows, i))
	if s.levels.list[i].ID != name {
		return path
	}
	return append(path, list.page())
}

// openPages returns the pages that lead to a story.
func (s *Shell) openPages(o Open) []page {
	s.know(o.Story, o.Nameless)
	return s.pathTo(o.Story.Strategy(), o.Story, o.At-1)
}

// know registers a story that may be the learner's own, and whether it is nameless.
func (s *shared) know(story *scenarios.Story, nameless bool) {
	if !slices.Contains(s.stories, story) {
		s.own = story
	}
	if nameless {
		s.nameless = story
	}
}
