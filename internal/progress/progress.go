// Package progress keeps how far a learner is: the chapters, levels and answers of a
// course, from one day to the next. It knows no page and no terminal.
package progress

import (
	"encoding/json"
	"maps"

	"lockstep/internal/lang"
)

// Progress is what is kept of one course.
type Progress struct {
	Version  int                `json:"version"`
	Tour     bool               `json:"tour,omitempty"` // the first minute was taken, or left
	Last     string             `json:"last"`           // the chapter that was open last
	Chapters map[string]Chapter `json:"chapters"`
	Levels   map[string]Level   `json:"levels,omitempty"`
	// Predictions has the answers by story and question, in English.
	Predictions map[string]map[string]Answer `json:"predictions,omitempty"`
}

// A Chapter is how far the learner is in a chapter that is begun.
type Chapter struct {
	Part string `json:"part"`
	Done bool   `json:"done"`
	End  bool   `json:"end,omitempty"` // its last part was open
}

// A Level is the best result of a learner in a level that was tried.
type Level struct {
	Moves   int  `json:"moves"` // 0: the goal is not reached
	Faults  int  `json:"faults"`
	GaveUp  bool `json:"gave_up"`
	Claimed bool `json:"claimed,omitempty"` // the learner claimed that nobody can reach the goal
}

// An Answer says whether a question was answered correctly. "I do not know" is not
// correct.
type Answer struct {
	First bool `json:"first"` // before the solution was ever shown
	Last  bool `json:"last"`
}

const version = 1

// New returns progress of a learner who has done nothing.
func New() Progress {
	return Progress{
		Version: version, Chapters: map[string]Chapter{}, Levels: map[string]Level{},
		Predictions: map[string]map[string]Answer{},
	}
}

// IsNew reports whether the learner has done nothing yet.
func (p *Progress) IsNew() bool {
	return !p.Tour && p.Last == "" && len(p.Chapters)+len(p.Levels)+len(p.Predictions) == 0
}

// Add merges news into p. Nothing that was achieved is lost.
func (p *Progress) Add(news Progress) {
	p.Tour = p.Tour || news.Tour
	if news.Last != "" {
		p.Last = news.Last
	}
	for id, now := range news.Chapters {
		now.Done = now.Done || p.Chapters[id].Done
		now.End = now.End || p.Chapters[id].End
		p.Chapters[id] = now
	}
	for id, now := range news.Levels {
		best, claimed := p.Levels[id], now.Claimed || p.Levels[id].Claimed
		if now.Better(best) {
			best = now
		}
		best.Claimed = claimed
		p.Levels[id] = best
	}
	for story, answers := range news.Predictions {
		if p.Predictions[story] == nil {
			p.Predictions[story] = map[string]Answer{}
		}
		for question, now := range answers {
			if was, asked := p.Predictions[story][question]; asked {
				now.First = was.First
			}
			p.Predictions[story][question] = now
		}
	}
}

// Better compares two results as the explorer does: fewest faults, then fewest moves.
// A result after giving up counts least. Having given up counts more than nothing only
// while the goal is not reached.
func (l Level) Better(than Level) bool {
	switch {
	case l.Moves == 0:
		return than.Moves == 0 && l.GaveUp
	case than.Moves == 0:
		return true
	case l.GaveUp != than.GaveUp:
		return than.GaveUp
	}
	return l.Faults < than.Faults || l.Faults == than.Faults && l.Moves < than.Moves
}

// Predicted counts the questions of the stories that were answered, and how many of the
// first answers were correct.
func (p *Progress) Predicted(stories ...string) (right, of int) {
	for _, story := range stories {
		for a := range maps.Values(p.Predictions[story]) {
			of++
			if a.First {
				right++
			}
		}
	}
	return right, of
}

// maxText is the largest size in bytes of a text of progress. All of the course takes some thousands.
const maxText = 1 << 20

// errForeign is the error of a text that another program wrote, or that is damaged.
var errForeign = lang.Errorf("it is damaged or of another program")

// Parse reads a text of progress that this program wrote.
func Parse(text string) (Progress, error) {
	var p Progress
	if len(text) > maxText {
		return p, errForeign
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Version != version {
		return Progress{}, errForeign
	}
	for _, l := range p.Levels {
		if l.Moves < 0 || l.Faults < 0 {
			return Progress{}, errForeign
		}
	}
	read := New() // without the maps that are null
	read.Add(p)
	return read, nil
}
