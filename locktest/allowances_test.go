package locktest

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	judges "lockstep/internal/testkit/judge"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// TestAllowances: whatever is allowed comes of what it is allowed for. Without a fault and
// without time nothing is allowed but what an acquisition within another leads to. Played
// once more without the hazard's event, or, where its own deadline ends the lease of a client
// that is late, with leases that last, the schedule does not violate the invariant. The judge decides that from the events.
func TestAllowances(t *testing.T) {
	testkit.Single(t)
	for _, m := range testkit.Some(t, []mistake{
		none, expireApart, wrongUnit, renewsRightly, overwrites, noToken, compareHere, tokenReused, shortRefresh,
		comparesPrefix, newToken, tokenLostOnRetry, deadlineBefore, oneKeyForTwo,
	}, 3, 1) {
		t.Run(string(m), func(t *testing.T) {
			o := defaults()
			subject := o.plan.Subject(inProcess(withMistake(m)).Start)
			subject.New = withMistake(m).build(&o)
			n := 0
			for _, r := range reports(t, withMistake(m), &o) {
				for _, f := range r.Found {
					if f.Allowed != "" {
						needsCause(t, subject, r, f)
						n++
					}
				}
			}
			if without := m == overwrites; (n == 0) != without { // it violates all of that in any case
				t.Errorf("%d were allowed", n)
			}
		})
	}
}

// needsCause fails a test if an allowed violation does not need what it is allowed for.
func needsCause(t *testing.T, subject program.Subject, r *trial.Report, f trial.Found) {
	t.Helper()
	config, s, err := history.ParseToken(f.Token)
	testkit.OK(t, err)
	nested := config.Nest > 1
	if timeless := !slices.ContainsFunc(s, func(a history.Action) bool { return a.Verb.IsTime() }); f.Faults == 0 && timeless && !nested {
		t.Errorf("%s: %s is allowed without a fault and without time: %s", r.Hazard, f.Invariant, s)
	}
	whole := replayed(t, subject, config, s, nil)
	if !history.Tried(f.Invariant) && len(judges.Violations(whole)[f.Invariant]) == 0 {
		t.Errorf("%s: %s does not violate %s", r.Hazard, s, f.Invariant)
	}
	h, _ := explore.FindHazard(r.Hazard)
	isFault := func(a history.Action) bool {
		return slices.ContainsFunc(h.Bounds.Faults, func(b history.Action) bool { return a.Verb == b.Verb })
	}
	s = slices.Clone(s) // time is to pass by as much as it did, whatever the next deadline is
	for i := range s {
		s[i].Drew = 0 // in another world it is something else
		if s[i].Verb.IsTime() {
			s[i] = history.Action{Verb: history.Advance}
		}
	}
	for _, e := range whole.Events {
		if e.Kind == history.Clock {
			s[e.Pick].By += e.By
		}
	}
	switch {
	case nested && (history.Tried(f.Invariant) || f.Invariant == history.SelfDeadlock):
		config.Nest = 1
	case nested, r.Hazard == "overrun", r.Hazard == "hang", r.Hazard == "client-clock": // a client that is late
		config.TTL *= 100
		isFault = nil
	}
	if len(h.Bounds.Faults) > 0 && f.Faults == 0 {
		t.Errorf("%s: %s is allowed without a fault: %s", r.Hazard, f.Invariant, s)
	}
	if got := judges.Violations(replayed(t, subject, config, s, isFault)); len(got[f.Invariant]) > 0 {
		t.Errorf("%s: %s is allowed, since %s, but %s violates it without that", r.Hazard, f.Invariant, f.Allowed, s)
	}
}

// played plays what is possible of a schedule, but for some actions. Time passes by as much
// as it did with all of them, so that what waits for it goes on.
func replayed(t *testing.T, subject program.Subject, config history.Config, s history.Schedule, but func(history.Action) bool) history.History {
	t.Helper()
	w := testkit.Must(world.New(config, subject))(t)
	defer w.Close()
	for _, a := range s {
		if but != nil && but(a) {
			continue
		}
		if err := w.Perform(a); err != nil && !strings.Contains(err.Error(), world.ErrNotEnabled.Error()) {
			t.Fatal(err)
		}
	}
	return w.History()
}
