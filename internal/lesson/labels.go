package lesson

import (
	"reflect"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// Labels are the words that panes write beside the data, in the learner's
// language. A tag is the id of a label's text.
type Labels struct {
	In        lang.Language
	Invariant func(id string) string      // its name
	Violated  func(id string) string      // that it is violated
	Printed   func(l history.Line) string // a line that a command printed

	Pair, List func(a, b string) string // a name and what it is; one thing and the next

	Time string `text:"time"` // above the rows' times

	NoKeys  string                            `text:"no_keys"`
	Gone    string                            `text:"gone"`
	New     string                            `text:"new"`
	NewTTL  string                            `text:"new_ttl"`
	NoTTL   string                            `text:"no_ttl"`
	TTLOver string                            `text:"ttl_over"`
	Session string                            `text:"session"` // how long an ephemeral znode remains
	More    func(int) string                  `text:"more"`    // so many keys are not shown
	Rest    func(hold, open, more int) string // of invariants that have no row

	Axis    string           `text:"axis"` // names of the ruler and a band
	Overlap string           `text:"overlap"`
	Nobody  string           `text:"redis_nobody"`    // owns the lock
	Several func(int) string `text:"overlap_several"` // so many believe
	Since   func(int) string `text:"broken_since"`    // an invariant is broken from that step on

	// What a client believes.
	Dead        string `text:"belief_dead"`
	Hung        string `text:"belief_hung"`
	Trying      string `text:"belief_trying"`
	Refused     string `text:"belief_refused"`
	Unknown     string `text:"belief_unknown"`
	Nothing     string `text:"belief_none"`
	Held        string `text:"belief_held"`
	AtWork      string `text:"belief_at_work"`
	Unprotected string `text:"belief_unprotected"`

	// What Redis says about it.
	Owned      string                 `text:"redis_its_own"`
	LeftBehind string                 `text:"redis_left_behind"`
	Wrong      string                 `text:"redis_wrong"`
	NoLock     string                 `text:"redis_no_lock"`
	OnNodes    func(n, of int) string `text:"on_nodes"`

	// The labels of a violation's card.
	Why       string           `text:"why"`
	Replaying string           `text:"replaying"`
	Step      func(int) string `text:"nth_step"`

	Lock string `text:"lock"` // above the locks' names

	// What a cell of the matrix says.
	NotYet       string `text:"cell_not_yet"`
	Working      string `text:"cell_working"`
	Holds        string `text:"cell_holds"`
	Allowed      string `text:"cell_allowed"`
	Vacuous      string `text:"cell_vacuous"`
	Inconclusive string `text:"cell_inconclusive"`
	Harm         func(history.Harm) string

	Picture Words

	// Of a branch: so many moves, and where it left another.
	Moves func(int) string `text:"branch_moves"`
	From  func(int) string `text:"branch_from"`

	// What the marks mean: of the lanes, of the bands, of the strip.
	Here        string `text:"legend_here"`
	WasThere    string `text:"legend_was"`
	ACause      string `text:"legend_cause"`
	LongerLease string `text:"legend_ghost"`
	Alive       string `text:"legend_alive"`
	Inside      string `text:"legend_inside"`
	Acts        string `text:"legend_acts"`
	OnItsWay    string `text:"legend_way"`
	Passes      string `text:"legend_passes"`
	Fault       string `text:"legend_fault"`
	Bad         string `text:"legend_bad"`
	Believes    string `text:"legend_believes"`
	Initial     string `text:"legend_initial"`
	Broken      string `text:"legend_broken"`
	Open        string `text:"legend_open"`
	Parts       string `text:"legend_parts"`
	RightAnswer string `text:"legend_right"`
	OtherAnswer string `text:"legend_wrong"`
	Won         string `text:"legend_won"`
}

// Words are what a picture writes among its shapes.
type Words struct {
	Crowd string                   `text:"harm_inside"` // where several clients are in the critical section
	Stuck string                   `text:"harm_stuck"`  // where somebody waits in vain
	NoTTL string                   `text:"no_ttl"`      // in a lease without an end
	Lease func(what string) string // at the end of a longer lease
	Sign  func(id string) string   // what a shape means
}

// LabelsOf returns the labels in the book's language.
func LabelsOf(b *prose.Book) Labels {
	l := Labels{
		In: b.Language(), Pair: b.Pair, List: func(x, y string) string { return b.List(x, y) }, Invariant: b.InvariantName,
		Violated: func(id string) string { return b.Fill("violates", prose.TextFacts{What: b.InvariantName(id)}) },
		Printed:  func(l history.Line) string { return scenarios.PlainLine(b, l) },
		Rest: func(hold, open, more int) string {
			return b.Fill("rest", prose.TextFacts{N: hold, Of: open, From: more})
		},
		Harm: func(h history.Harm) string { return b.Text("harm_" + string(h)) },
		Picture: Words{
			Lease: func(what string) string { return b.Fill("picture_longer", prose.TextFacts{What: what}) },
			Sign:  func(id string) string { return b.Text("picture_" + id) },
		},
	}
	label(b, reflect.ValueOf(&l).Elem())
	label(b, reflect.ValueOf(&l.Picture).Elem())
	return l
}

// label fills the fields that have a tag.
func label(b *prose.Book, labels reflect.Value) {
	for i := range labels.NumField() {
		id := labels.Type().Field(i).Tag.Get("text")
		switch to := labels.Field(i).Addr().Interface().(type) {
		case *string:
			*to = b.Text(id)
		case *func(int) string:
			*to = func(n int) string { return b.Fill(id, prose.TextFacts{N: n}) }
		case *func(n, of int) string:
			*to = func(n, of int) string { return b.Fill(id, prose.TextFacts{N: n, Of: of}) }
		}
	}
}
