package pages

import (
	"encoding/json"
	"maps"

	"lockstep/internal/lang"
)

// A progress is what is remembered from one day to the next.
type progress struct {
	Version  int               `json:"version"`
	Tour     bool              `json:"tour,omitempty"` // the tour of the screen was shown
	Last     string            `json:"last"`           // the lock whose chapter was open last
	Chapters map[string]mark   `json:"chapters"`
	Levels   map[string]record `json:"levels,omitempty"`
	// Predictions has the answers by story and question, in English.
	Predictions map[string]map[string]guess `json:"predictions,omitempty"`
}

// A mark is how far somebody has come in a chapter that is begun.
type mark struct {
	Part part `json:"part"`
	Done bool `json:"done"`
}

// A record is how a learner did best in a level that was tried.
type record struct {
	Moves   int  `json:"moves"` // 0: the goal is not reached
	Faults  int  `json:"faults"`
	GaveUp  bool `json:"gave_up"`
	Claimed bool `json:"claimed,omitempty"` // the learner said that nobody can
}

// A guess says whether a question was answered rightly. Not to know is not
// right.
type guess struct {
	First bool `json:"first"` // before its answer was ever shown
	Last  bool `json:"last"`
}

const progressVersion = 1

func newProgress() progress {
	return progress{
		Version: progressVersion, Chapters: map[string]mark{}, Levels: map[string]record{},
		Predictions: map[string]map[string]guess{},
	}
}

// add takes over what is news. What was achieved before stays.
func (p *progress) add(news progress) {
	p.Tour = p.Tour || news.Tour
	if news.Last != "" {
		p.Last = news.Last
	}
	for lock, now := range news.Chapters {
		now.Done = now.Done || p.Chapters[lock].Done
		p.Chapters[lock] = now
	}
	for level, now := range news.Levels {
		best, claimed := p.Levels[level], now.Claimed || p.Levels[level].Claimed
		if now.better(best) {
			best = now
		}
		best.Claimed = claimed
		p.Levels[level] = best
	}
	for story, guesses := range news.Predictions {
		if p.Predictions[story] == nil {
			p.Predictions[story] = map[string]guess{}
		}
		for question, now := range guesses {
			if was, asked := p.Predictions[story][question]; asked {
				now.First = was.First
			}
			p.Predictions[story][question] = now
		}
	}
}

// better holds two results against each other as the explorer does: fewest
// faults, then fewest moves. What came after giving up counts least, and to
// have given up counts for more than nothing only while nothing is reached.
func (r record) better(than record) bool {
	switch {
	case r.Moves == 0:
		return than.Moves == 0 && r.GaveUp
	case than.Moves == 0:
		return true
	case r.GaveUp != than.GaveUp:
		return than.GaveUp
	}
	return r.Faults < than.Faults || r.Faults == than.Faults && r.Moves < than.Moves
}

// predicted counts the questions of stories that were answered, and those of
// them whose last answer was right.
func (p *progress) predicted(stories ...string) (right, of int) {
	for _, story := range stories {
		for g := range maps.Values(p.Predictions[story]) {
			of++
			if g.Last {
				right++
			}
		}
	}
	return right, of
}

// errForeign is a text that this program has not written, or not whole.
var errForeign = lang.Errorf("it is damaged or of another program")

func parseProgress(text []byte) (progress, error) {
	var p progress
	if err := json.Unmarshal(text, &p); err != nil || p.Version != progressVersion {
		return progress{}, errForeign
	}
	for _, r := range p.Levels {
		if r.Moves < 0 || r.Faults < 0 {
			return progress{}, errForeign
		}
	}
	read := newProgress() // without the maps that are null
	read.add(p)
	return read, nil
}
