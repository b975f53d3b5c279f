package lesson

import (
	"slices"
	"sort"
	"strings"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Beat is one command of a story and the events that it led to.
type Beat struct {
	Text     string // the command as written
	From, To int    // Events[From:To]
	Output   []history.Line
}

// A Row is one place at which the cursor can be: a line of the transcript, or
// a command that led to no event, such as check.
type Row struct {
	history.Line
	Command  string         // that led to no event
	Beat     int            // which command it belongs to; -1 for none
	First    bool           // it is the first row of that command
	From, To int            // the events that it adds: Events[From:To]
	Output   []history.Line // what a command without events printed
	Lanes    []Mark         // one for each lane of the run
	Found    []int          // violations that are shown here, as indices
	lit      int            // the row whose source line is lit here; -1 for none
	Band     Band           // of beliefs and truth after it
}

// A Found is a violation and the row at which a learner meets it.
type Found struct {
	history.Violation
	Row int
	// Asked and Known say whether its explanation is looked for, and found.
	Asked, Known bool
}

// A Run is a history prepared for being shown.
type Run struct {
	History history.History
	Beats   []Beat
	Rows    []Row
	Lanes   []Lane
	Found   []Found        // in the order of their rows
	Nodes   []string       // that it speaks of
	kept    []*fold        // what was before every so many rows
	first   map[string]int // of each broken invariant the first in Found
}

// Of prepares what became of a story, or of a schedule.
func Of(r *scenarios.Result) *Run {
	beats := make([]Beat, len(r.Beats))
	for i, b := range r.Beats {
		beats[i] = Beat{Text: b.Step.Text, From: b.From, To: b.To, Output: b.Output}
	}
	return NewRun(r.History, beats, r.Violations)
}

// NewRun prepares a history. Without beats, as for a replayed schedule, each
// row is a line of the transcript, after one for the world as it begins.
func NewRun(h history.History, beats []Beat, found []history.Violation) *Run {
	r := &Run{History: h, Beats: beats, Nodes: nodes(h), first: map[string]int{}}
	r.Lanes = lanes(h, r.Nodes)
	if len(beats) == 0 {
		r.Rows = append(r.Rows, Row{Line: history.Line{Text: lang.Quote(h.Config.String())}, Beat: -1, First: true})
		r.addLines(-1, 0, len(h.Events))
	}
	for i, b := range beats {
		if !r.addLines(i, b.From, b.To) {
			r.Rows = append(r.Rows, Row{Command: b.Text, Line: history.Line{Text: lang.Quote(b.Text)}, Beat: i, First: true, Output: b.Output})
		}
	}
	r.share()
	r.prepare()
	for _, v := range found {
		r.Found = append(r.Found, Found{Violation: v, Row: r.meets(v)})
	}
	slices.SortStableFunc(r.Found, func(a, b Found) int { return a.Row - b.Row })
	for i, f := range r.Found {
		r.Rows[f.Row].Found = append(r.Rows[f.Row].Found, i)
		if _, known := r.first[f.Invariant]; !known {
			r.first[f.Invariant] = i
		}
	}
	return r
}

// addLines adds a row for each line of the transcript of Events[from:to].
func (r *Run) addLines(beat, from, to int) bool {
	first := true
	for _, l := range history.Lines(r.History.Events[from:to], r.History.Nodes) {
		r.Rows = append(r.Rows, Row{Line: l, Beat: beat, First: first, To: l.Last + 1})
		first = false
	}
	return !first
}

// share hands out the events. One that the transcript leaves out goes with the line
// before it where the same action led to it, or else with the line after: so a row
// is the same whatever came after it.
func (r *Run) share() {
	events, from := r.History.Events, 0
	for i := range r.Rows {
		row := &r.Rows[i]
		row.From, row.To = from, max(from, row.To)
		for from < row.To && row.To < len(events) && events[row.To].Pick == events[row.Last].Pick && !r.begins(i+1, row.To) {
			row.To++
		}
		from = row.To
	}
}

// begins says whether a row at or after i has a line that begins with an event.
func (r *Run) begins(i, event int) bool {
	for ; i < len(r.Rows); i++ {
		if row := r.Rows[i]; row.To > 0 {
			return row.Seq <= event
		}
	}
	return false
}

// RowOf returns the row that shows an event.
func (r *Run) RowOf(seq int) int {
	i := sort.Search(len(r.Rows), func(i int) bool { return seq < r.Rows[i].To })
	return min(i, len(r.Rows)-1)
}

// Shown returns the last row that so many events add to.
func (r *Run) Shown(events int) int {
	return max(0, sort.Search(len(r.Rows), func(i int) bool { return r.Rows[i].To > events })-1)
}

// RowsOf returns the rows of a command: Rows[from:to].
func (r *Run) RowsOf(beat int) (from, to int) {
	search := func(beat int) int {
		return sort.Search(len(r.Rows), func(i int) bool { return r.Rows[i].Beat >= beat })
	}
	return search(beat), search(beat + 1)
}

// Met is how many violations a learner has met on the way to a row.
func (r *Run) Met(row int) int {
	return sort.Search(len(r.Found), func(i int) bool { return r.Found[i].Row > row })
}

// meets says where a learner meets a violation: where it happens, except that
// a lock which can never be acquired again is shown where the story checks.
func (r *Run) meets(v history.Violation) int {
	if v.Invariant != history.LockRecovers {
		return r.RowOf(v.Seq)
	}
	for i, row := range r.Rows {
		if row.finds(v.Invariant) {
			return i
		}
	}
	return r.RowOf(v.Seq)
}

// finds says whether the row is a check that printed a violation. A replay
// against another lock prints that lock's.
func (row Row) finds(invariant string) bool {
	return !strings.HasPrefix(row.Command, "replay") && slices.ContainsFunc(row.Output, func(l history.Line) bool {
		return l.Broken != nil && l.Broken.Invariant == invariant
	})
}

// FirstOf returns the first violation of an invariant, as an index of Found;
// -1 if there is none.
func (r *Run) FirstOf(invariant string) int {
	if i, found := r.first[invariant]; found {
		return i
	}
	return -1
}

// Lit returns the source line that the row, or the latest row before it, came
// from, and whether it is the row's own.
func (r *Run) Lit(at int) (source string, own bool) {
	if i := r.Rows[at].lit; i >= 0 {
		return r.Rows[i].Source, i == at
	}
	return "", false
}

// By returns whose source line is lit at a row: which client, from 1, and its
// letter; 0 for nobody's.
func (r *Run) By(at int) (who int, letter string) {
	i := r.Rows[at].lit
	if i < 0 {
		return 0, ""
	}
	names := r.History.Config.Clients
	if who = slices.Index(names, r.History.Events[r.Rows[i].Seq].Client) + 1; who == 0 {
		return 0, ""
	}
	return who, Initials(names)[who-1]
}

// Time is the virtual time after a row.
func (r *Run) Time(at int) history.Millis {
	if to := r.Rows[at].To; to > 0 {
		return r.History.Events[to-1].At
	}
	return 0
}

// keyless are the invariants that say something about a lock without a key in
// Redis; the others are about who owns it.
var keyless = []string{history.MutualExclusion, history.LockRecovers, history.LostUpdate}

// Judged returns the invariants that can apply to the run's lock.
func (r *Run) Judged() []string {
	if r.History.Nodes == 0 {
		return keyless
	}
	return history.Invariants()
}

// Decides says whether the row is a check of everything that came to a verdict.
func (row Row) Decides() bool {
	words := strings.Fields(row.Command)
	return len(words) > 0 && words[0] == "check" && len(row.Output) > 0 &&
		(len(words) == 1 || slices.Contains(words[1:], history.LockRecovers)) &&
		!slices.ContainsFunc(row.Output, func(l history.Line) bool { return l.Undecided })
}
