package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
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

// A Place names a page, in an address of a browser and where a class is to go on.
type Place struct {
	Kind string // one of those below; "" is a story or a token by its name, or the list of locks
	Name string // which of the kind; "" is the list of them, or the only one
	Part string // of a chapter, or the hazard of a cell
	Step int    // from 1; 0 for the usual one
}

// The kinds of places.
const (
	coursePlace  = "course"
	levelPlace   = "level" // a lock and a slash is the list of its levels
	lockPlace    = "lock"  // its stories; with sourcePart, its card and source
	matrixPlace  = "matrix"
	cellPlace    = "cell"
	searchPlace  = "search" // for the name
	whichPlace   = "which"
	diplomaPlace = "diploma"
	tourPlace    = "tour"
	helpPlace    = "help" // about the page with the name as its address
	wordsPlace   = "words"

	sourcePart = "source"
)

// ChapterPlace returns the place of a chapter, where it was left; "" is the course.
func ChapterPlace(id string) Place { return Place{Kind: coursePlace, Name: id} }

// String writes a place for ParsePlace.
func (p Place) String() string {
	out := p.Name
	if p.Kind != "" {
		out = p.Kind + ":" + out
	}
	if p.Part != "" {
		out += "/" + p.Part
	}
	if p.Step > 0 {
		out += "@" + strconv.Itoa(p.Step)
	}
	return out
}

// ParsePlace reads an address: KIND:NAME/PART@STEP, or for a story NAME@STEP. There may be
// no such place.
func ParsePlace(address string) Place {
	kind, rest, ok := strings.Cut(address, ":")
	if !ok || kind == "" {
		kind, rest = "", address
	}
	p := Place{Kind: kind, Name: rest}
	if slices.Contains([]string{searchPlace, helpPlace, wordsPlace}, kind) {
		return p
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if n, _ := strconv.Atoi(rest[i+1:]); n > 0 && strconv.Itoa(n) == rest[i+1:] {
			p.Name, p.Step = rest[:i], n
		}
	}
	if slices.Contains([]string{coursePlace, lockPlace, matrixPlace, cellPlace}, kind) {
		p.Name, p.Part, _ = strings.Cut(p.Name, "/")
	}
	return p
}

// address returns the place of the page on top. One that waits for what it shows is still
// where the page before it was.
func (s *Shell) address() string {
	if p, ok := s.page().(waiter); !ok || p.waits("") == atOnce {
		s.placed = s.placeAt(len(s.stack)).String()
	}
	return s.placed
}

// placeAt returns the place of the page at a depth of the stack: that of the one below, if
// it has none of its own.
func (s *Shell) placeAt(depth int) (at Place) {
	for _, p := range s.stack[:depth] {
		if l, ok := p.(addressed); ok {
			if own, ok := l.address(); ok {
				at = own
			}
		}
	}
	return at
}

// goTo opens a place, or says which there are.
func (s *Shell) goTo(to GoTo) act {
	if to.Depth > 0 && to.Depth <= len(s.stack) && s.placeAt(to.Depth) == to.Place {
		if to.Depth == len(s.stack) {
			return nil
		}
		return linked(restack(s.stack[:to.Depth]))
	}
	at, covers := to.Place, 0
	for at.Kind == helpPlace || at.Kind == wordsPlace {
		covers = map[string]int{helpPlace: 1, wordsPlace: 2}[at.Kind]
		at = ParsePlace(at.Name)
	}
	pages := s.pagesOf(at)
	if to.Open != nil {
		pages = s.openPages(*to.Open)
	}
	if pages == nil {
		pages, covers = []page{newLocksPage(s.shared, ""), newNowherePage(s.shared, to.Place)}, 0
	}
	s.then = nil
	if covers > 0 { // about keys that are there when the page is
		s.then = linked(func(s *Shell) Cmd {
			var cmds []Cmd
			for range covers {
				cmds = append(cmds, s.do(s.help()))
			}
			return batch(cmds...)
		})
	}
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
	first := newLocksPage(s.shared, "")
	switch p.Kind {
	case "":
		if i := slices.IndexFunc(s.stories, func(story *scenarios.Story) bool { return story.Name == p.Name }); i >= 0 {
			return s.pathTo(s.stories[i].Strategy(), s.stories[i], max(1, p.Step)-1)
		}
	case coursePlace:
		return s.chapterPages(p)
	case levelPlace:
		return s.levelPages(p.Name)
	case lockPlace:
		if info, ok := strategies.Find(p.Name); ok {
			path := s.pathTo(p.Name, nil, 0)
			if p.Part == sourcePart {
				path = append(path, newLockPage(s.shared, info))
			}
			return path
		}
	case matrixPlace, cellPlace:
		if s.board == nil || !s.board.moveTo(p.Name, p.Part) {
			return nil
		}
		table := newMatrixPage(s.shared)
		if p.Kind == cellPlace {
			return []page{first, table, newCellPage(table)}
		}
		return []page{first, table}
	case searchPlace:
		search := newSearchPage(s.shared)
		search.typed(Key{Text: p.Name})
		return []page{first, search}
	case whichPlace:
		which := newWhichPage(s.shared)
		if fork, ok := which.(*forkPage); ok && p.Name != "" {
			to := fork.leadsTo(p.Name)
			if to == nil {
				return nil
			}
			return []page{first, &coursePage{s.shared}, which, to}
		}
		return []page{first, &coursePage{s.shared}, which}
	case diplomaPlace:
		return []page{first, &coursePage{s.shared}, newDiplomaPage(s.shared)}
	case tourPlace:
		tour := newTourPage(s.shared)
		tour.at.move(p.Step - 1)
		return []page{first, tour}
	}
	if p == (Place{}) {
		return []page{first}
	}
	return nil
}

// chapterPages returns the pages that lead to the course, a chapter or a part of one.
func (s *Shell) chapterPages(p Place) []page {
	path := []page{newLocksPage(s.shared, ""), &coursePage{s.shared}}
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
	if inner, ok := chapter.page.(stepwise); ok {
		*inner.cursor() = max(1, p.Step) - 1
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
		return l.ID == name || l.Lock() != "" && l.Lock()+"/" == name
	})
	if i < 0 {
		return nil
	}
	if lock := s.levels.list[i].Lock(); lock != "" {
		path = append(path, newLevelsPage(s.shared, lock))
	}
	list := path[len(path)-1].(*levelsPage)
	list.menu.at = max(0, slices.Index(list.rows, i))
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

// A nowherePage says that an address names nothing, and which addresses there are.
type nowherePage struct {
	textPage
	read Place
}

func newNowherePage(s *shared, read Place) *nowherePage {
	p := &nowherePage{textPage{shared: s}, read}
	p.text = p.lines
	return p
}

func (p *nowherePage) address() (Place, bool) { return p.read, true }

func (p *nowherePage) title() (left, right string) { return p.book.Text("nowhere"), "" }

func (p *nowherePage) lines(w int) []render.Line {
	const most = 60 // letters of what was read
	read := []rune(render.Plain(p.read.String()))
	out := render.Wrap(p.book.Fill("nowhere_says", prose.TextFacts{What: string(read[:min(len(read), most)])}), w)
	list := func(heading string, places ...Place) {
		out = append(out, nil, render.Heading(p.book.Text(heading), p.theme, w))
		for _, at := range places {
			says := cmp.Or(at.Kind, "story")
			if at == (Place{}) {
				says = "first"
			}
			out = append(out, render.Line{{Text: "#" + at.String(), Link: "#" + at.String()}, render.Normal.Of("  " + p.book.Text("place_"+says))})
		}
	}
	if near := p.near(); len(near) > 0 {
		list("nowhere_near", near...)
	}
	list("nowhere_all", Place{}, ChapterPlace(""), Place{Kind: levelPlace}, Place{Kind: matrixPlace}, Place{Kind: whichPlace}, Place{Kind: searchPlace, Name: p.read.Name})
	return append(out, render.Wrap(p.book.Text("nowhere_names"), w)...)
}

// near returns the places whose names are like what was read.
func (p *nowherePage) near() (near []Place) {
	var all []Place
	for _, story := range p.stories {
		all = append(all, Place{Name: story.Name})
	}
	for _, chapter := range p.course.Chapters {
		all = append(all, ChapterPlace(chapter.ID))
	}
	for _, lock := range strategies.Catalogue() {
		all = append(all, Place{Kind: lockPlace, Name: lock.ID})
	}
	for i := range p.levels.list {
		all = append(all, Place{Kind: levelPlace, Name: p.levels.list[i].ID})
	}
	kinds := []string{coursePlace, levelPlace, lockPlace, matrixPlace, searchPlace, whichPlace, diplomaPlace, tourPlace, helpPlace}
	var names []string
	for _, kind := range kinds {
		all = append(all, Place{Kind: kind})
	}
	for _, at := range all {
		names = append(names, cmp.Or(at.Name, at.Kind))
	}
	for _, name := range lang.Nearest(cmp.Or(p.read.Name, p.read.Kind), names) {
		for _, at := range all {
			if cmp.Or(at.Name, at.Kind) == name {
				near = append(near, at)
			}
		}
	}
	return near
}
