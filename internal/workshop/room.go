package workshop

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// This file is the room as a value: who is there, what was asked and answered. It knows
// nothing of connections, files or the time of day.

// A room is what a class has done.
type room struct {
	people  map[int]*person
	did     map[int]int // 1 for each who has answered, solved or handed in something
	polls   []*poll     // in the order in which they were opened
	current *poll       // the one that everybody sees; nil for none
	contest *contest
	shared  []shared
	ends    time.Time // of the timer; zero for none
	driver  string    // the name of the trainer who drives
	driving string    // its cookie, as a hash
}

// A person is a participant.
type person struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Team string `json:"team"`

	streams int       // that are open
	plays   bool      // the server plays what it has sent
	seen    time.Time // its latest request since the start
}

// The states of a poll.
const (
	isOpen     = "open"
	isClosed   = "closed"
	isRevealed = "revealed"
)

// A poll is a question to all.
type poll struct {
	ID    string              `json:"id"`
	Round int                 `json:"round"`
	State string              `json:"state"`
	Own   bool                `json:"own"`   // the trainer's, not the story's
	Place string              `json:"place"` // where it was asked; "" for one of the trainer's
	Said  map[string]pollText `json:"said"`  // by language
	Right *int                `json:"right"`

	answers map[int]int // the choice of each participant
	left    bool        // the trainer's frame does not ask it any more
}

// A pollText is a poll in a language.
type pollText struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Why      string   `json:"why"`
}

// said is the text of a poll in a language, or in another one.
func (p *poll) said(lang string) pollText {
	if t, ok := p.Said[lang]; ok {
		return t
	}
	for _, l := range slices.Sorted(maps.Keys(p.Said)) {
		return p.Said[l]
	}
	return pollText{}
}

// whole reports whether it has as many options in each language, and a right one among them.
func (p *poll) whole() bool {
	n := len(p.said("").Options)
	for _, text := range p.Said {
		if len(text.Options) != n {
			return false
		}
	}
	return p.Right == nil || *p.Right >= 0 && *p.Right < n
}

// counts are how often each option was chosen.
func (p *poll) counts() []int {
	n := make([]int, len(p.said("").Options))
	for _, choice := range p.answers {
		if choice < len(n) {
			n[choice]++
		}
	}
	return n
}

// find returns the poll with an id.
func (r *room) find(id string) *poll {
	for _, p := range r.polls {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// ask shows a poll, which is new or was shown before.
func (r *room) ask(p *poll) {
	if was := r.find(p.ID); was != nil {
		maps.Copy(was.Said, p.Said)
		r.current = was
		return
	}
	p.State, p.Round, p.answers = isOpen, 1, map[int]int{}
	r.polls, r.current = append(r.polls, p), p
}

// do changes the state of a poll. It reports whether there is such a change.
func (p *poll) do(what string) bool {
	switch what {
	case "close":
		p.State = isClosed
	case "reveal":
		p.State = isRevealed
	case "reopen":
		p.State = isOpen
	case "reset":
		p.State, p.Round, p.answers = isOpen, p.Round+1, map[int]int{}
	default:
		return false
	}
	return true
}

// A wrong is a question that many got wrong or have not answered.
type wrong struct {
	Poll     string `json:"poll"`
	Question string `json:"question"`
	Wrong    int    `json:"wrong"`
	Answered int    `json:"answered"`
	Missing  int    `json:"missing"`
}

// mostLost is how many questions a trainer sees.
const mostLost = 8

// lost lists the latest questions with how many got them wrong, the latest first.
func (r *room) lost(lang string) []wrong {
	list := []wrong{}
	for _, p := range slices.Backward(r.polls) {
		if len(list) == mostLost {
			break
		}
		w := wrong{Poll: p.ID, Question: p.said(lang).Question, Answered: len(p.answers), Missing: max(0, r.present()-len(p.answers))}
		for _, choice := range p.answers {
			if p.Right != nil && choice != *p.Right {
				w.Wrong++
			}
		}
		list = append(list, w)
	}
	return list
}

// absent lists who is not there, in the order in which they joined. The page of somebody who
// is there has a stream, or has asked for one in the last minute.
func (r *room) absent(now time.Time) (list []int) {
	for id, p := range r.people {
		if p.streams == 0 && now.Sub(p.seen) > time.Minute {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// named reports whether somebody has a name.
func (r *room) named(name string) bool {
	for _, p := range r.people {
		if p.Name == name {
			return true
		}
	}
	return false
}

// present counts who is there now.
func (r *room) present() (n int) {
	for _, p := range r.people {
		if p.streams > 0 {
			n++
		}
	}
	return n
}

// missing lists who is there and has not answered the poll that everybody sees.
func (r *room) missing() []string {
	names := []string{}
	if r.current == nil || r.current.State != isOpen {
		return names
	}
	for _, id := range slices.Sorted(maps.Keys(r.people)) {
		if _, answered := r.current.answers[id]; !answered && r.people[id].streams > 0 {
			names = append(names, r.people[id].Name)
		}
	}
	return names
}

// The states of a contest are those of a poll, and isLocked.
const isLocked = "locked"

// A contest is a level for all.
type contest struct {
	Level string `json:"level"`
	State string `json:"state"`
	By    string `json:"by"` // person or team

	results map[int]result
}

// A result is a participant's best solution.
type result struct{ steps, n int } // n numbers the results of the room

// add keeps a solution if it is the participant's best, and reports whether it is.
func (c *contest) add(id int, r result) bool {
	if was, ok := c.results[id]; ok && was.steps <= r.steps {
		return false
	}
	c.results[id] = r
	return true
}

// A place is a row of the board.
type place struct {
	Rank  int    `json:"rank"`
	Name  string `json:"name"`
	Team  string `json:"team"`
	Steps int    `json:"steps"`

	n, id int
}

// mostPlaces bounds the board.
const mostPlaces = 50

// board is the top of the ranking.
func (r *room) board() []place {
	all := r.ranking()
	return all[:min(len(all), mostPlaces)]
}

// rankOf is the rank of a participant, or of its team; 0 for none.
func (r *room) rankOf(who *person) int {
	for _, p := range r.ranking() {
		if p.id == who.ID || r.contest.By == "team" && p.Team == who.Team {
			return p.Rank
		}
	}
	return 0
}

// ranking ranks the results: the fewest steps first, then who came first. A team has the
// best result of its members. As many steps are the same rank.
func (r *room) ranking() []place {
	all := []place{}
	for id, got := range r.contest.results {
		if p := r.people[id]; p != nil {
			all = append(all, place{Name: p.Name, Team: p.Team, Steps: got.steps, n: got.n, id: id})
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(a.Steps-b.Steps, a.n-b.n) })
	if r.contest.By == "team" {
		seen := map[string]bool{}
		all = slices.DeleteFunc(all, func(p place) bool {
			had := seen[p.Team]
			seen[p.Team] = true
			return had || p.Team == ""
		})
		for i := range all {
			all[i].Name = all[i].Team
		}
	}
	for i := range all {
		all[i].Rank = i + 1
		if i > 0 && all[i].Steps == all[i-1].Steps {
			all[i].Rank = all[i-1].Rank
		}
	}
	return all
}

// A shared is a story that somebody has handed in.
type shared struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Team  string `json:"team"`
	Title string `json:"title"`
	Place string `json:"place"`

	by int
}
