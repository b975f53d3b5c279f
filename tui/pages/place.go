package pages

import (
	"strconv"
	"strings"
)

// A Place is the address of a page, perhaps with a step:
//
//	course:              the course
//	course:CHAPTER       a chapter, where it was left
//	course:CHAPTER/PART  a part of it
//	level:               the levels
//	level:LEVEL          one of them
//	STORY                a story of the library
//	TOKEN                a run, or a story with its text
//
// A part, a story and a token can be followed by @ and a step. Addresses are written by
// String and read by ParsePlace, and by nothing else.
type Place struct {
	Page string // the address without the step
	Step int    // from 1; 0 for none
}

const (
	coursePrefix = "course:"
	levelPrefix  = "level:"
)

// ParsePlace reads an address. A step that is no number counts as none.
func ParsePlace(address string) Place {
	page, step, _ := strings.Cut(address, "@")
	n, _ := strconv.Atoi(step)
	return Place{page, max(0, n)}
}

func (p Place) String() string {
	if p.Step == 0 {
		return p.Page
	}
	return p.Page + "@" + strconv.Itoa(p.Step)
}

// A Chapter asks to show a chapter of the course: without a part where it was left.
type Chapter struct {
	ID   string // "" is the course
	Part string
	Step int // of the part; see Place
}

// Place returns the chapter's address.
func (c Chapter) Place() Place {
	return Place{strings.TrimSuffix(coursePrefix+c.ID+"/"+c.Part, "/"), c.Step}
}

// A Level asks to show a level, by its id; "" is the list of levels.
type Level string

// Request returns the Chapter or the Level at an address.
func (p Place) Request() (request any, ok bool) {
	if page, ok := strings.CutPrefix(p.Page, coursePrefix); ok {
		id, part, _ := strings.Cut(page, "/")
		return Chapter{id, part, p.Step}, true
	}
	id, ok := strings.CutPrefix(p.Page, levelPrefix)
	return Level(id), ok
}
