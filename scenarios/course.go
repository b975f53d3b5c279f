package scenarios

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"lockstep/message"
	"lockstep/strategies"
)

// A Chapter of the course is about one lock.
type Chapter struct {
	Lock   string // its id
	Works  *Story // shows it at work; nil if nothing of it works
	Breaks *Story // shows it break; nil if nothing of the kind is to be shown
	Fix    string // the lock that gets the same schedule; "" if none does
	Hazard string // under which a learner tries the lock, and its fix ...
	Goal   string // ... and the invariant to break then
}

//go:embed course.toml
var courseFile string

// Course returns the chapters in teaching order.
var Course = sync.OnceValues(func() ([]Chapter, error) { return readCourse(courseFile) })

func readCourse(text string) ([]Chapter, error) {
	var file struct {
		Chapter []struct{ Lock, Works, Breaks, Fix, Hazard, Goal string }
	}
	if err := readData("course.toml", text, &file); err != nil {
		return nil, err
	}
	var course []Chapter
	for _, c := range file.Chapter {
		chapter := Chapter{Lock: c.Lock, Fix: c.Fix, Hazard: c.Hazard, Goal: c.Goal}
		for _, part := range []struct {
			name string
			into **Story
		}{{c.Works, &chapter.Works}, {c.Breaks, &chapter.Breaks}} {
			if part.name == "" {
				continue
			}
			story, err := Find(part.name)
			if err != nil {
				return nil, message.Errorf("course.toml: %s: %w", c.Lock, err)
			}
			*part.into = story.Alone()
		}
		if err := chapter.check(); err != nil {
			return nil, message.Errorf("course.toml: %w", err)
		}
		course = append(course, chapter)
	}
	return course, nil
}

func (c Chapter) check() error {
	if err := knownLock(c.Lock); err != nil {
		return err
	}
	if _, ok := strategies.Find(c.Fix); c.Fix != "" && !ok {
		return knownLock(c.Fix)
	}
	if c.Works == nil && c.Breaks == nil || c.Fix != "" && c.Breaks == nil {
		return message.Errorf("%s has nothing to show", c.Lock)
	}
	return nil
}

// Levels are the ids of the levels that a learner tries in the chapter: its lock,
// and the one that fixes it, under the same hazard.
func (c Chapter) Levels() (ids []string) {
	for _, lock := range []string{c.Lock, c.Fix} {
		if lock != "" && c.Hazard != "" {
			ids = append(ids, ProvedID(lock, c.Hazard, c.Goal))
		}
	}
	return ids
}

// Stories are those that the chapter plays.
func (c Chapter) Stories() []*Story {
	return slices.DeleteFunc([]*Story{c.Works, c.Breaks}, func(s *Story) bool { return s == nil })
}

// For returns the story with a world line that names the lock it is to be
// played with, for RunAgainst.
func (s *Story) For(lock string) *Story {
	other := *s
	other.Steps = slices.Clone(s.Steps)
	world := &other.Steps[0]
	world.Text = strings.Replace(world.Text, "strategy="+s.Strategy(), "strategy="+lock, 1)
	return &other
}

// Alone returns the story without what other locks make of it, for those
// who show that at length.
func (s *Story) Alone() *Story {
	alone := *s
	alone.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return step.name == "replay" })
	return &alone
}
