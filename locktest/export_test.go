package locktest

import (
	"testing"
	"time"

	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// Tried tries a lock under a hazard; nil in the process of the lock. It runs in a folder
// of its own, where there is no package whose code could be adapted: to compile that takes
// longer than most tests.
func Tried(t *testing.T, f Factory, hazard string, opts ...Option) *trial.Report {
	t.Helper()
	defer func(was string) { home = was }(home)
	home = t.TempDir()
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	host := hosted(t, f, 1, &o)
	if host == nil {
		return nil
	}
	tr := trial.New(t.Context(), o.plan, 5*time.Minute, "tried", o.plan.Subject(host.Start))
	defer tr.Close()
	tr.Host, tr.Ready = host, host.Ready
	h, _ := explore.FindHazard(hazard)
	return tr.Try(t.Context(), h)
}
