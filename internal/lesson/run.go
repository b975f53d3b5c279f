package lesson

import (
	"slices"
	"sort"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Row is one position of the cursor: a line of the transcript, or a command
// without events, such as check.
type Row struct {
	history.Line
	Command  *scenarios.Step   // without events; nil for any other row
	Beat     int               // which command it belongs to; -1 for none
	First    bool              // it is the first row of that command
	From, To int               // its events: Events[From:To]
	Output   []history.Line    // what a command without events printed
	Lanes    []Mark            // one for each lane of the run
	Found    []int             // violations that are shown here, as indices
	code     string            // the line of code that it has done; "" for none
	Next     map[string]string // the line of code that each lane does next after it; none before it begins
	lit      int               // the row whose source line is lit here; -1 for none
	Now      *Snapshot         // the display after it
}

// A Found is a violation and the row at which a learner meets it.
type Found struct {
	history.Violation
	Row int
	// Asked and Known say whether its explanation has been requested, and found.
	Asked, Known bool
}

// A Run is a history prepared for being shown.
type Run struct {
	History history.History
	Beats   []scenarios.Beat // the commands of a story; none for a schedule
	Rows    []Row
	Lanes   []Lane
	Found   []Found // in the order of their rows
	Nodes   []string
	// OnOneKey says that at most one key of one node ever changes.
	OnOneKey bool
	judged   []string
}

// Of prepares the result of a story or a schedule.
func Of(r *scenarios.Result) *Run { return NewRun(r.History, r.Beats, r.Violations) }

// NewRun prepares a history. Without beats, as for a replayed schedule, the rows
// are one for the configuration and then the lines of the transcript.
func NewRun(h history.History, beats []scenarios.Beat, found []history.Violation) *Run {
	r := &Run{History: h, Beats: beats}
	for i := range h.Nodes { // whether or not they are asked
		r.Nodes = append(r.Nodes, history.NodeName(i))
	}
	r.Lanes = lanes(h, r.Nodes)
	r.judged, r.OnOneKey = slices.DeleteFunc(history.Invariants(), func(id string) bool { return !h.Judges(id) }), onOneKey(h)
	if len(beats) == 0 {
		r.Rows = append(r.Rows, Row{Line: history.Line{Text: lang.Quote(h.Config.String())}, Beat: -1, First: true})
		r.addLines(-1, history.Lines(h.Events, h.Nodes))
	}
	for i, b := range beats {
		if r.addLines(i, b.Lines); len(b.Lines) == 0 {
			r.Rows = append(r.Rows, Row{Command: b.Step, Line: history.Line{Text: lang.Quote(b.Step.Text)}, Beat: i, First: true, Output: b.Output})
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
	}
	return r
}

// addLines adds a row for each line of a transcript.
func (r *Run) addLines(beat int, lines []history.Line) {
	for i, l := range lines {
		l.Text = history.InTerse(l.Text)
		r.Rows = append(r.Rows, Row{Line: l, Beat: beat, First: i == 0, To: l.Last + 1})
	}
}

// share assigns the events to rows. An event that the transcript leaves out
// belongs to the line before it if they have the same action, and else to the
// line after it. So a row does not depend on what follows.
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

// begins reports whether a row at or after i begins with an event.
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

// Shown returns the last row that the first events reach.
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

// Step returns the command of a row; nil for none.
func (r *Run) Step(row int) *scenarios.Step {
	if beat := r.Rows[row].Beat; beat >= 0 {
		return r.Beats[beat].Step
	}
	return nil
}

// Questions returns the questions before the command of a row.
func (r *Run) Questions(row int) []scenarios.Prediction {
	if beat := r.Rows[row].Beat; beat >= 0 {
		return r.Beats[beat].Questions
	}
	return nil
}

// Met counts the violations up to a row.
func (r *Run) Met(row int) int {
	return sort.Search(len(r.Found), func(i int) bool { return r.Found[i].Row > row })
}

// meets returns the row of a violation: where it happens, or, if it is decided by
// trying, where the story checks.
func (r *Run) meets(v history.Violation) int {
	for i, row := range r.Rows {
		if history.Tried(v.Invariant) && row.finds(v.Invariant) {
			return i
		}
	}
	return r.RowOf(v.Seq)
}

// finds reports whether the row is a check that printed a violation of this run;
// a replay prints those of another lock.
func (row Row) finds(invariant string) bool {
	return row.Command != nil && !row.Command.Replays() && slices.ContainsFunc(row.Output, func(l history.Line) bool {
		return l.Broken != nil && l.Broken.Invariant == invariant
	})
}

// Printed returns what a command without events printed, in the learner's language.
func (row Row) Printed(b *prose.Book) (out []string) {
	for _, line := range row.Output {
		out = append(out, scenarios.PlainLine(b, line))
	}
	return out
}

// FirstOf returns the index in Found of the first violation of an invariant; -1
// if there is none.
func (r *Run) FirstOf(invariant string) int {
	return slices.IndexFunc(r.Found, func(f Found) bool { return f.Invariant == invariant })
}

// Lit returns the source line of the row or of the latest row before it that has
// one, and whether it is the row's own.
func (r *Run) Lit(at int) (source string, own bool) {
	if i := r.Rows[at].lit; i >= 0 {
		return r.Rows[i].code, i == at
	}
	return "", false
}

// By returns the client whose source line is lit at a row, from 1, and its
// letter; 0 for none.
func (r *Run) By(at int) (who int, letter string) {
	i := r.Rows[at].lit
	if i < 0 {
		return 0, ""
	}
	if who = slices.Index(r.History.Config.Clients, r.History.Events[r.Rows[i].Seq].Client) + 1; who == 0 {
		return 0, ""
	}
	return who, r.Letter(who)
}

// Letter is that of a client, from 1.
func (r *Run) Letter(who int) string { return Initials(r.History.Config.Clients)[who-1] }

// Ahead returns the lane of the client that acts next after a row; "" if nobody does.
func (r *Run) Ahead(at int) string {
	for _, row := range r.Rows[at+1:] {
		if r.LaneOf(row.Who).Client > 0 {
			return row.Who
		}
	}
	return ""
}

// LaneOf returns the lane with a name; none if there is none.
func (r *Run) LaneOf(name string) (lane Lane) {
	for _, l := range r.Lanes {
		if l.Name == name {
			return l
		}
	}
	return lane
}

// Picks returns how many actions of the schedule lead to the end of a row. An action with several
// rows counts as a whole.
func (r *Run) Picks(at int) int {
	switch to := r.Rows[at].To; {
	case at == len(r.Rows)-1:
		return len(r.History.Schedule) // with actions that led to no event
	case to > 0:
		return r.History.Events[to-1].Pick + 1
	}
	return 0
}

// Time is the virtual time after a row.
func (r *Run) Time(at int) history.Millis {
	if to := r.Rows[at].To; to > 0 {
		return r.History.Events[to-1].At
	}
	return 0
}

// keyless are the invariants that apply to a lock without a key in Redis; the
// others are about who owns the key.
var keyless = []string{history.MutualExclusion, history.LockRecovers, history.LostUpdate}

// Judged returns the invariants that can apply to the run's lock.
func (r *Run) Judged() []string {
	if r.History.Nodes == 0 {
		return keyless
	}
	return r.judged
}

func onOneKey(h history.History) bool {
	key := ""
	for _, e := range h.Events {
		for _, c := range e.Changes {
			if h.Nodes > 1 || key != "" && c.Key != key {
				return false
			}
			key = c.Key
		}
	}
	return true
}

// Decides reports whether the row is a check that reached a verdict on an invariant that
// is decided by trying.
func (row Row) Decides(invariant string) bool {
	return row.Command != nil && row.Command.Checks(invariant) && len(row.Output) > 0 &&
		!slices.ContainsFunc(row.Output, func(l history.Line) bool { return l.Undecided })
}
