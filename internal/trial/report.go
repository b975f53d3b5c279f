package trial

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// A Report is the result for one hazard.
type Report struct {
	Hazard      string          `json:"hazard"`
	Verdict     explore.Verdict `json:"verdict"` // on what the contract does not allow
	Reason      string          `json:"reason,omitempty"`
	Assumptions string          `json:"assumptions"` // its world and bounds
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	// Where a limit ended the exploration: how many runs were sampled besides, and
	// the least probability with which as many find a bug of depth 3.
	Sampled int     `json:"sampled,omitempty"`
	Bound   float64 `json:"bound,omitempty"`
	Found   []Found `json:"found,omitempty"` // the gravest first
	// Delays lists how the code's random delays were in the explorations, one for
	// each; nil if it draws none.
	Delays []string `json:"delays,omitempty"`
	// Accepted is why sampling suffices, if the exploration was cut short.
	Accepted string `json:"accepted,omitempty"`
	// Skipped is set if the hazard was not tried, since the lock's code was refused
	// under another one, which the Reason names.
	Skipped bool `json:"skipped,omitempty"`

	Took  time.Duration  `json:"-"`
	Facts program.Traits `json:"-"`

	Explored explore.Report `json:"-"` // the exploration behind this report

	assumes lang.List // Assumptions
}

// Passes reports whether the lock passes. VACUOUS passes too, and proves
// nothing.
func (r *Report) Passes() bool {
	switch r.Verdict {
	case explore.Violated:
		return false
	case explore.Inconclusive:
		return r.Accepted != ""
	}
	return true
}

// worse orders verdicts.
var worse = []explore.Verdict{explore.Vacuous, explore.Holds, explore.Inconclusive, explore.Violated}

// Worse reports whether a verdict says less good of a lock than another.
func Worse(v, than explore.Verdict) bool {
	return slices.Index(worse, v) > slices.Index(worse, than)
}

// and adds the report of one more exploration, with other delays: the worse verdict,
// each invariant that either violates, what either assumes. r can be nil.
func (r *Report) and(more *Report) *Report {
	if r == nil {
		return more
	}
	sum := *r
	if Worse(more.Verdict, r.Verdict) {
		sum = *more
		sum.Delays = r.Delays
	}
	sum.assumes = r.assumes.And(more.assumes)
	sum.Facts = more.Facts // by then
	sum.States, sum.Transitions, sum.Found = r.States+more.States, r.Transitions+more.Transitions, slices.Clone(r.Found)
	for _, f := range more.Found {
		if !slices.ContainsFunc(r.Found, func(g Found) bool { return g.Invariant == f.Invariant }) {
			sum.Found = append(sum.Found, f)
		}
	}
	slices.SortStableFunc(sum.Found, func(a, b Found) int {
		return slices.Index(history.Invariants(), a.Invariant) - slices.Index(history.Invariants(), b.Invariant)
	})
	return &sum
}

// A Found is a violated invariant with the shortest counterexample.
type Found struct {
	Invariant  string   `json:"invariant"`
	Says       string   `json:"says"` // what happened, in one sentence
	Faults     int      `json:"faults"`
	Steps      int      `json:"steps"`
	Shortest   bool     `json:"shortest"`          // no schedule with fewer faults, or as many and fewer actions, leads there
	Token      string   `json:"token"`             // world and schedule
	Allowed    string   `json:"allowed,omitempty"` // why the contract of the lock does not exclude it
	Same       string   `json:"same_as,omitempty"` // the earlier hazard under which this is told
	Transcript []string `json:"transcript,omitempty"`
	Why        []string `json:"why,omitempty"`
	// Source is the line of the lock's code from which the last command before the
	// violation came, as in events; "" if it is unknown.
	Source string `json:"-"`
	// Kept is the file of a saved counterexample; "" for a new one.
	Kept string `json:"-"`
}

// New reports whether a violation is neither allowed nor told under another hazard.
func (f Found) New() bool { return f.Allowed == "" && f.Same == "" }

// Again is a violation in brief that is told under another hazard.
func (f *Found) Again() lang.Message {
	return lang.New("%s, the same as under %s", f.Invariant, f.Same)
}

// Allowed says what is allowed: how many invariants, why, and one schedule; nothing if none is.
func Allowed(found []Found) lang.Message {
	found = slices.DeleteFunc(slices.Clone(found), func(f Found) bool { return f.Allowed == "" })
	if len(found) == 0 {
		return lang.Message{}
	}
	var names []string
	why := lang.Join("; ")
	for _, f := range found {
		names, why = append(names, f.Invariant), why.And(lang.Word(f.Allowed))
	}
	return lang.New("allowed: %v (%s), since %v; one schedule: %s", lang.Count(len(names), "%d invariant", "%d invariants"), lang.Names(names), why, found[0].Token)
}

// Extent says how much was explored and how much was sampled.
func (r *Report) Extent() lang.Message {
	proven := lang.New("%d states, %d transitions", r.States, r.Transitions)
	if r.Sampled == 0 {
		return proven
	}
	return lang.New("explored in part: %v; then sampled: %d runs at random, which find a bug of depth %d with probability %.3g at least", proven, r.Sampled, sampleDepth, r.Bound)
}

// Size is the number of faults and of steps.
func (f *Found) Size() lang.List { return explore.Size(f.Faults, f.Steps) }

// Text is the counterexample as a test prints it. check is the command that
// checks its package.
func (f *Found) Text(l lang.Language, check string) string {
	shortest := lang.New("not proven shortest")
	if f.Shortest {
		shortest = lang.New("no schedule is shorter")
	}
	lines := slices.Concat([]string{f.Says, ""}, f.Transcript, []string{""}, f.Why, []string{
		lang.New("%v; %v", f.Size(), shortest).In(l),
		lang.New("In the walkthrough: %s --token %s", check, f.Token).In(l),
	})
	return strings.Join(lines, "\n") + "\n"
}

// A transcript has times first, and a column for each client.
const (
	timeWidth   = 8
	columnWidth = 46
)

// transcript writes a run with a column for each client.
func (t *Trial) transcript(h history.History) (lines []string) {
	head := strings.Repeat(" ", timeWidth)
	for _, c := range h.Config.Clients {
		head += padded(c, columnWidth)
	}
	lines = append(lines, strings.TrimRight(head, " "))
	m := history.NewMonitor(h.Config, h.Nodes)
	next := 0
	var known []string
	for _, l := range history.Lines(h.Events, h.Nodes) {
		if client, thread, _ := strings.Cut(l.Who, "/"); thread != "" && !slices.Contains(known, l.Who) {
			known = append(known, l.Who)
			lines = append(lines, padded("", timeWidth)+t.in(lang.New("/%s is another goroutine of %s", thread, client)))
		}
		lines = append(lines, t.column(h, l))
		for ; next <= l.Last; next++ {
			for _, v := range m.Observe(h.Events[next]) {
				lines = append(lines, padded("", timeWidth)+"! "+v.Invariant)
			}
		}
	}
	return lines
}

func (t *Trial) column(h history.History, l history.Line) string {
	client, thread, _ := strings.Cut(l.Who, "/")
	text := history.Terse(t.in(l.Text))
	if thread != "" {
		text = "/" + thread + " " + text
	}
	at := h.Events[l.Seq].At.String()
	at = strings.Repeat(" ", max(0, timeWidth-1-len(at))) + at + " "
	column := slices.Index(h.Config.Clients, client)
	if column < 0 {
		return at + "-- " + l.Who + " " + text
	}
	line := at + strings.Repeat(" ", column*columnWidth) + text
	if l.Source == "" {
		return line
	}
	return padded(line, timeWidth+len(h.Config.Clients)*columnWidth) + " " + l.Source
}

// cells is the width of a text on a terminal: Chinese, and what is printed like it, is
// twice as wide. The libraries that know more take a second to compile.
func cells(text string) (n int) {
	for _, r := range text {
		n++
		if r >= '\u2e80' && r <= '\uffe6' || r >= '\U0001f300' {
			n++
		}
	}
	return n
}

// padded pads a text to a width in cells.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-cells(text)))
}
