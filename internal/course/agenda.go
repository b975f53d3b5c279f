package course

import (
	"slices"

	"lockstep/internal/lang"
)

// An Agenda is the timetable of a talk that lasts a number of minutes.
type Agenda struct {
	Minutes int
	Slots   []Slot
	Left    []LeftOut // the chapters left out, in teaching order
	Guessed bool      // the minutes of at least one slot are a guess
}

// A Slot is a period of the talk: a chapter, a break, or the time for questions
// at the end.
type Slot struct {
	From, Minutes int
	Chapter       int  // its place in the course, from 0; -1 for none
	Guessed       bool // the minutes are a guess
}

// A LeftOut is a chapter without a slot, and the reason.
type LeftOut struct {
	Chapter, Minutes int
	Why              lang.Message
}

// A talk has at most one break of breakMinutes for each breakAfter minutes. A
// break never divides a chapter.
const (
	breakAfter   = 90
	breakMinutes = 10
)

// Agenda proposes which chapters to show in a number of minutes. Chapters build
// on earlier ones, so from the first core chapter that does not fit, it leaves out
// all. Extras before that one fill the remaining time, the first ones first. The
// order is that of the course.
func (c *Course) Agenda(minutes int) (Agenda, error) {
	a := Agenda{Minutes: minutes}
	left := minutes - breaks(minutes)*breakMinutes
	cut := len(c.Chapters) // the first core chapter that does not fit
	shown := make([]bool, len(c.Chapters))
	for i := range c.Chapters {
		if c.Chapters[i].Kind == Extra {
			continue
		}
		n, _ := c.Chapters[i].takes()
		if n > left {
			cut = i
			break
		}
		shown[i], left = true, left-n
	}
	for i := range c.Chapters[:cut] {
		if n, _ := c.Chapters[i].takes(); !shown[i] && n <= left {
			shown[i], left = true, left-n
		}
	}
	if !slices.Contains(shown, true) {
		n, _ := c.Chapters[0].takes()
		return a, lang.Errorf("%d minutes are too few: the chapter %s alone takes %d", minutes, c.Chapters[0].ID, n)
	}
	for i := range c.Chapters {
		n, guessed := c.Chapters[i].takes()
		switch {
		case shown[i]:
			a.add(Slot{Minutes: n, Chapter: i, Guessed: guessed})
		case i < cut:
			a.leave(i, n, lang.New("extra, and no time is left for it"))
		case i == cut:
			a.leave(i, n, lang.New("no time is left for it"))
		default:
			a.leave(i, n, lang.New("builds on what is left out"))
		}
	}
	if over := minutes - a.end(); over > 0 {
		a.Slots = append(a.Slots, Slot{From: a.end(), Minutes: over, Chapter: -1})
	}
	return a, nil
}

// breaks returns for how many breaks a talk of so many minutes reserves time.
func breaks(minutes int) int { return max(0, minutes-1) / (breakAfter + breakMinutes) }

func (a *Agenda) leave(chapter, minutes int, why lang.Message) {
	a.Left = append(a.Left, LeftOut{chapter, minutes, why})
}

// add adds a chapter, after a break if one is due.
func (a *Agenda) add(s Slot) {
	taken, since := 0, 0
	for _, before := range a.Slots {
		if before.Chapter < 0 {
			taken, since = taken+1, before.From+before.Minutes
		}
	}
	if taken < breaks(a.Minutes) && a.end() > since && a.end()+s.Minutes-since > a.interval() {
		a.Slots = append(a.Slots, Slot{From: a.end(), Minutes: breakMinutes, Chapter: -1})
	}
	s.From = a.end()
	a.Slots, a.Guessed = append(a.Slots, s), a.Guessed || s.Guessed
}

// interval is the time between evenly spread breaks.
func (a *Agenda) interval() int {
	n := breaks(a.Minutes)
	return (a.Minutes - n*breakMinutes) / (n + 1)
}

func (a *Agenda) end() int {
	if len(a.Slots) == 0 {
		return 0
	}
	last := a.Slots[len(a.Slots)-1]
	return last.From + last.Minutes
}

// Break reports whether the slot is a break; another slot without a chapter is
// for questions.
func (a *Agenda) Break(s Slot) bool { return s.Chapter < 0 && s.From+s.Minutes < a.Minutes }

// BuildsOn returns the last chapter before chapter i that is about the same lock
// or has that lock as its fix; -1 if there is none.
func (c *Course) BuildsOn(i int) int {
	lock := c.Chapters[i].Lock
	for before := i - 1; lock != "" && before >= 0; before-- {
		if ch := &c.Chapters[before]; ch.Lock == lock || ch.Fix == lock {
			return before
		}
	}
	return -1
}

// Length returns the minutes that the course takes. It guesses those of chapters for which
// the course gives none.
func (c *Course) Length() (minutes int, guessed bool) {
	if c.Minutes > 0 {
		return c.Minutes, false
	}
	for i := range c.Chapters {
		n, about := c.Chapters[i].takes()
		minutes, guessed = minutes+n, guessed || about
	}
	return minutes, guessed
}

// takes returns the length of a chapter. It guesses if the course does not give
// the minutes.
func (c *Chapter) takes() (minutes int, guessed bool) {
	if c.Minutes > 0 {
		return c.Minutes, false
	}
	minutes = 2 // what it is about, and why it breaks
	for _, story := range c.Plays() {
		minutes += 2
		for _, step := range story.Steps {
			minutes += len(step.Predict)
		}
	}
	if c.Fix != "" {
		minutes += 2
	}
	return minutes + 2*len(c.Levels()), true
}
