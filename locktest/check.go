package locktest

import (
	"errors"
	"flag"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/remote"
)

// Check tries a lock under every hazard, each as a subtest. A subtest fails if a
// schedule violates an invariant that the contract does not allow, or if the hazard
// could not be decided. It is skipped if the hazard never happened, or if the lock's
// code was refused under another hazard.
func Check(t *testing.T, f Factory, opts ...Option) {
	t.Helper()
	tr := begin(t, f, defaults(), opts)
	if tr == nil {
		return
	}
	if run := flag.Lookup("test.run"); run == nil || !strings.Contains(run.Value.String(), "/") { // all hazards are asked for
		tr.First = tr.Plan.Under()
	}
	var reports []*trial.Report
	for _, h := range tr.Plan.Under() {
		t.Run(h.ID, func(t *testing.T) {
			r := tr.Try(t.Context(), h)
			reports = append(reports, r)
			conclude(t, tr.Kept, r)
		})
	}
	t.Log(trial.Table(reports))
	for _, a := range tr.Plan.Unneeded(reports) {
		if !t.Failed() {
			t.Errorf("locktest: the allowance of %s under %s is not needed: no schedule within the bounds violates it", a.Invariant, a.Hazard)
		}
	}
}

// begin starts a trial of a lock in another process; nil in that process.
func begin(t *testing.T, f Factory, o options, opts []Option) *trial.Trial {
	t.Helper()
	for _, opt := range opts {
		opt(&o)
	}
	o.settle()
	if o.err != nil {
		t.Fatalf("locktest: %v", o.err)
	}
	n := nth(t)
	host := hosted(t, f, n, &o)
	if host == nil {
		return nil
	}
	err := host.Ready(t.Context())
	unready := err
	switch {
	case err == nil:
		err = o.plan.Take(host.Traits())
	case errors.Is(err, remote.ErrShares): // each hazard says so
		err = nil
	}
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	if *long {
		o.deepen(t)
	}
	tr := trial.New(t.Context(), o.plan, o.limit, trial.LockID(t.Name(), n), o.plan.Subject(host.Start))
	t.Cleanup(tr.Close)
	tr.Kept, tr.Host, tr.Unready = keptDir(t.Name(), n), host, unready
	return tr
}

// keptDir is the folder for counterexamples of a test's nth lock.
func keptDir(test string, n int) string {
	name := strings.ReplaceAll(test, "/", "-")
	if n > 1 {
		name += "-" + strconv.Itoa(n)
	}
	return filepath.Join("testdata", "lockstep", name)
}

// conclude passes or fails the subtest of a hazard.
func conclude(t *testing.T, kept string, r *trial.Report) {
	t.Helper()
	for i := range r.Found {
		found := &r.Found[i]
		switch {
		case found.New():
			t.Errorf("%s: %s\n%s", r.Verdict, found.Invariant, found.Text(nil, "lockstep check"))
			keep(t, kept, r.Hazard, found)
		case found.Same != "":
			t.Errorf("%s: %v", r.Verdict, found.Again())
		}
	}
	logAllowed(t, r.Found)
	switch {
	case t.Failed() && r.Reason != "":
		t.Log(r.Reason)
	case t.Failed():
	case r.Skipped:
		t.Skip(r.Reason)
	case r.Accepted != "":
		t.Logf("accepted, since %s", r.Accepted)
	case !r.Passes():
		t.Errorf("INCONCLUSIVE: %s", r.Reason)
	case r.Verdict == explore.Vacuous:
		t.Skipf("VACUOUS: %s", r.Reason)
	}
	if r.Assumptions != "" {
		t.Logf("%s: %s\nAssumptions: %s", r.Verdict, r.Extent(), r.Assumptions)
	}
}

func logAllowed(t testing.TB, found []trial.Found) {
	t.Helper()
	if allowed := trial.Allowed(found); !allowed.None() {
		t.Log(allowed)
	}
}

// keep saves a counterexample, unless it was replayed from a saved one.
func keep(t testing.TB, dir, hazard string, found *trial.Found) {
	t.Helper()
	if found.Kept != "" {
		t.Logf("the schedule kept in %s still violates it", found.Kept)
		return
	}
	name, err := trial.Keep(dir, hazard, found)
	if err != nil {
		t.Logf("it could not be kept: %v", err)
		return
	}
	t.Logf("kept in %s, and played first from now on", name)
}
