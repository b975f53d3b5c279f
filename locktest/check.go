package locktest

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/sim/explore"
	"lockstep/verdict"
)

// Check tries a lock under every hazard that applies, each as a subtest. A subtest
// fails where a schedule violates an invariant that the contract does not
// allow, and where a limit ended the search: that is no pass. It is skipped where what
// the hazard is about never happened.
func Check(t *testing.T, f Factory, opts ...Option) {
	t.Helper()
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	if o.err != nil {
		t.Fatalf("locktest: %v", o.err)
	}
	host := hosted(t, f, &o)
	if host == nil {
		return
	}
	if *long {
		o.deepen(t)
	}
	name := named(t)
	trial, err := verdict.New(t.Context(), o.plan, o.limit, verdict.LockID(name), o.subject(host.Start))
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	defer trial.Close()
	trial.Kept, trial.Host = keptDir(name), host
	var reports []*verdict.Report
	for _, h := range o.plan.Under() {
		t.Run(h.ID, func(t *testing.T) {
			r := trial.Try(t.Context(), h)
			reports = append(reports, r)
			conclude(t, trial.Kept, r)
		})
	}
	for _, a := range o.plan.Unneeded(reports) {
		if !t.Failed() {
			t.Errorf("locktest: the allowance of %s under %s is not needed: no schedule within the bounds violates it", a.Invariant, a.Hazard)
		}
	}
}

// keptDir is where what a test found is kept.
func keptDir(test string) string {
	return filepath.Join("testdata", "lockstep", strings.ReplaceAll(test, "/", "-"))
}

// conclude passes or fails the subtest of a hazard.
func conclude(t *testing.T, kept string, r *verdict.Report) {
	t.Helper()
	for i := range r.Found {
		found := &r.Found[i]
		if found.Allowed != "" {
			t.Logf("allowed: %s, since %s (%d faults, %d steps; %s)", found.Invariant, found.Allowed, found.Faults, found.Steps, found.Token)
			continue
		}
		t.Errorf("%s: %s\n%s", r.Verdict, found.Invariant, found.Text(nil, "lockstep check"))
		if name, err := verdict.Keep(kept, r.Hazard, found); err != nil {
			t.Logf("it could not be kept: %v", err)
		} else {
			t.Logf("kept in %s, and played first from now on", name)
		}
	}
	switch {
	case t.Failed() && r.Reason != "":
		t.Log(r.Reason)
	case t.Failed():
	case r.Accepted != "":
		t.Logf("accepted, since %s", r.Accepted)
	case !r.Passes():
		t.Errorf("INCONCLUSIVE: %s", r.Reason)
	case r.Verdict == string(explore.Vacuous):
		t.Skipf("VACUOUS: %s", r.Reason)
	}
	t.Logf("%s: %s\nAssumptions: %s", r.Verdict, r.Extent(), r.Assumptions)
}
