package locktest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/explain"
	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// serve explores the lock and tells the process that asked for it. It does not
// return: what the test does after Check is for that process.
func serve(t *testing.T, f Factory, o *options) {
	if nth(t) != os.Getenv(envNth) {
		return // another Check of this test is asked for
	}
	bubble.Seed()
	out := json.NewEncoder(os.NewFile(3, "lockstep"))
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	if err := o.all(ctx, t.Name(), lockID(t.Name()), f, func(r *Report) error { return out.Encode(r) }); err != nil {
		t.Fatal(err)
	}
	t.SkipNow()
}

// all tries the lock under each hazard, and tells of one after the other. ctx has
// a deadline.
func (o *options) all(ctx context.Context, test, id string, f Factory, tell func(*Report) error) error {
	subject := program.Subject{New: f.build, Nodes: o.nodes, Start: bubble.Start}
	lock := explore.Lock{ID: id, Subject: subject}
	scenarios.Admit(id, subject)
	row := explore.NewRow(ctx, lock)
	defer row.Close()
	hazards := o.under()
	for i, h := range hazards {
		r, err := o.kept(ctx, test, id, h.ID)
		if r == nil && err == nil {
			r, err = o.explore(ctx, row, h, lock, len(hazards)-i)
		}
		if err == nil {
			err = ownSockets()
		}
		if err != nil {
			r = &Report{Hazard: h.ID, Verdict: string(explore.Inconclusive), Reason: err.Error()}
		}
		if err := tell(r); err != nil {
			return err
		}
	}
	return nil
}

// lockID is what tokens call the lock of a test.
func lockID(test string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, test)
	return id[:min(len(id), 40)]
}

// explore tries the lock under one hazard, of as many that are left.
func (o *options) explore(ctx context.Context, row *explore.Row, h explore.Hazard, l explore.Lock, left int) (*Report, error) {
	h.Bounds.States, h.Bounds.Memory, h.Bounds.Depth = o.states, o.memory, 200
	config := h.Config(l, []string{"A", "B", "C", "D", "E"}[:o.clients]...)
	config.Rounds = o.rounds
	if o.nodes > 1 {
		config.Nodes = o.nodes
	}
	if o.ttl > 0 {
		config.TTL = history.Millis(o.ttl.Milliseconds())
	}
	config.LockKey = o.key
	ctx, cancel := context.WithTimeout(ctx, time.Until(until(ctx))/time.Duration(left))
	defer cancel()
	proven, err := o.prove(ctx, row, h, config)
	if err != nil {
		return nil, err
	}
	verdict, reason := proven.Verdict()
	r := &Report{
		Hazard: h.ID, Verdict: string(verdict), Reason: reason.String(), Assumptions: proven.Assumptions().String(),
		States: proven.States, Transitions: proven.Transitions,
	}
	if proven.Limit != "" && proven.Limit != explore.FirstViolation && proven.Limit != explore.RealTime {
		if err := o.sample(ctx, r, &proven, l.Subject); err != nil {
			return nil, err
		}
	}
	for i := range proven.Found {
		f, err := o.tell(&proven, &proven.Found[i])
		if err != nil {
			return nil, err
		}
		r.Found = append(r.Found, f)
	}
	return r, nil
}

// until is when everything is to be done.
func until(ctx context.Context) time.Time {
	at, _ := ctx.Deadline() // Check has given it one
	return at
}

// prove explores for a part of the time that there is: the rest is for what that
// leaves open.
func (o *options) prove(ctx context.Context, row *explore.Row, h explore.Hazard, config history.Config) (explore.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Until(until(ctx))*2/3)
	defer cancel()
	return row.Explore(ctx, h, config, explore.Options{Enough: func(invariant string) bool { return o.allowed(invariant, h.ID) == nil }})
}

// sampleDepth is the depth of the bugs that sampling is after: how many orders
// between actions bring one about.
const sampleDepth = 3

// sample plays at random what could not be explored to its end, and adds what it
// finds to the report.
func (o *options) sample(ctx context.Context, r *Report, proven *explore.Report, subject program.Subject) error {
	sampled, err := fuzz.Hunt(ctx, proven.Config, subject, proven.Bounds, fuzz.Options{Pick: fuzz.PCT, BugDepth: sampleDepth, Runs: o.runs, Jobs: 1, Seed: 1})
	if err != nil {
		return err
	}
	r.Sampled = sampled.Runs
	r.Bound, _ = sampled.Bound()
	for _, f := range sampled.Found {
		if !slices.ContainsFunc(proven.Found, func(g explore.Found) bool { return g.Violation.Invariant == f.Violation.Invariant }) {
			proven.Found = append(proven.Found, f)
		}
	}
	slices.SortStableFunc(proven.Found, func(a, b explore.Found) int {
		return slices.Index(history.Invariants, a.Violation.Invariant) - slices.Index(history.Invariants, b.Violation.Invariant)
	})
	verdict, reason := proven.Verdict()
	r.Verdict, r.Reason = string(verdict), cmp.Or(reason.String(), "the exploration was ended by the limit on "+proven.Limit)
	return nil
}

// tell plays a schedule again, and says what happens in it.
func (o *options) tell(r *explore.Report, f *explore.Found) (Found, error) {
	told := Found{
		Invariant: f.Violation.Invariant, Faults: r.Faults(f), Steps: len(f.Schedule), Shortest: f.Shortest,
		Token: history.Token(r.Config, f.Schedule), Says: scenarios.Verdict(f.Violation),
	}
	if o.allowed(told.Invariant, r.Hazard) != nil {
		return told, nil // nobody reads more of it
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace/2) // what was found is told, also when all time is used up
	defer cancel()
	run, err := scenarios.Replay(ctx, r.Config, f.Schedule)
	if err != nil {
		return told, fmt.Errorf("%s: its schedule cannot be played again: %w; replay token %s", told.Invariant, err, told.Token)
	}
	told.Transcript = transcript(run.History)
	for _, v := range run.Violations {
		if v.Invariant != told.Invariant {
			continue
		}
		told.Says = scenarios.Verdict(v)
		told.Why = why(ctx, run.History, v)
		return told, nil
	}
	return told, fmt.Errorf("%s: its schedule was played again and did not violate it; replay token %s", told.Invariant, told.Token)
}

// why says what led to a violation, and what would have saved it.
func why(ctx context.Context, h history.History, v history.Violation) (lines []string) {
	book, err := prose.Load("en")
	if err != nil {
		return nil
	}
	a, _ := scenarios.Explain(ctx, h, v)
	add := func(label string, s explain.Sentence) { lines = append(lines, book.Text(label)+": "+s.Text(book)) }
	add("happened", a.Happened)
	for _, s := range a.Why {
		add("why", s)
	}
	for _, s := range a.Code {
		add("code", s)
	}
	for _, s := range a.Saved {
		add("saved", s)
	}
	return lines
}
