package locktest

import (
	"fmt"
	"strings"

	"lockstep/sim/history"
)

// A Report is what came of one hazard.
type Report struct {
	Hazard      string `json:"hazard"`
	Verdict     string `json:"verdict"` // VIOLATED, HOLDS, VACUOUS or INCONCLUSIVE
	Reason      string `json:"reason,omitempty"`
	Assumptions string `json:"assumptions"` // under which it was reached: world and bounds
	States      int    `json:"states"`
	Transitions int    `json:"transitions"`
	// Where a limit ended the exploration: how many runs were sampled besides, and
	// the least probability with which as many find a bug of depth 3.
	Sampled int     `json:"sampled,omitempty"`
	Bound   float64 `json:"bound,omitempty"`
	Found   []Found `json:"found,omitempty"` // the gravest first
}

// A Found is one invariant that is violated, with the shortest schedule that
// leads there.
type Found struct {
	Invariant  string   `json:"invariant"`
	Says       string   `json:"says"` // what happened, in one sentence
	Faults     int      `json:"faults"`
	Steps      int      `json:"steps"`
	Shortest   bool     `json:"shortest"` // no schedule with fewer faults, or as many and fewer steps, leads there
	Token      string   `json:"token"`    // world and schedule
	Transcript []string `json:"transcript"`
	Why        []string `json:"why,omitempty"`
}

// extent says how much was proven and how much was sampled.
func (r *Report) extent() string {
	text := fmt.Sprintf("%d states, %d transitions", r.States, r.Transitions)
	if r.Sampled > 0 {
		text = fmt.Sprintf("explored in part: %s; then sampled: %d runs at random, which find a bug of depth %d with probability %.3g at least", text, r.Sampled, sampleDepth, r.Bound)
	}
	return text
}

// text is the failure as a test prints it.
func (f *Found) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", f.Says)
	for _, line := range f.Transcript {
		fmt.Fprintf(&b, "%s\n", line)
	}
	b.WriteString("\n")
	for _, line := range f.Why {
		fmt.Fprintf(&b, "%s\n", line)
	}
	shortest := "not proven shortest"
	if f.Shortest {
		shortest = "no schedule is shorter"
	}
	fmt.Fprintf(&b, "%d faults, %d steps; %s\nReplay token: %s\n", f.Faults, f.Steps, shortest, f.Token)
	return b.String()
}

// columnWidth is how wide a client's column is in a transcript.
const columnWidth = 46

// transcript tells of a run with a column for each client.
func transcript(h history.History) (lines []string) {
	head := strings.Repeat(" ", 8)
	for _, c := range h.Config.Clients {
		head += fmt.Sprintf("%-*s", columnWidth, c)
	}
	lines = append(lines, strings.TrimRight(head, " "))
	m := history.NewMonitor(h.Config, h.Nodes)
	next := 0
	for _, l := range history.Lines(h.Events, h.Nodes) {
		lines = append(lines, column(h, l))
		for ; next <= l.Last; next++ {
			for _, v := range m.Observe(h.Events[next]) {
				lines = append(lines, fmt.Sprintf("%8s! %s", "", v.Invariant))
			}
		}
	}
	return lines
}

func column(h history.History, l history.Line) string {
	client, thread, _ := strings.Cut(l.Who, "/")
	text := l.Text.String()
	if thread != "" {
		text = "/" + thread + " " + text
	}
	at := -1
	for i, c := range h.Config.Clients {
		if c == client {
			at = i
		}
	}
	if at < 0 {
		return fmt.Sprintf("%7s -- %s %s", h.Events[l.Seq].At, l.Who, text)
	}
	line := fmt.Sprintf("%7s %s%s", h.Events[l.Seq].At, strings.Repeat(" ", at*columnWidth), text)
	if l.Source != "" {
		width := 8 + len(h.Config.Clients)*columnWidth
		line = fmt.Sprintf("%-*s %s", width, line, l.Source)
	}
	return line
}
