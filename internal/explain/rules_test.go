package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// explained replays a token and explains the nth violation of an invariant.
func explained(t *testing.T, token, invariant string, nth int) (history.History, explain.Account) {
	t.Helper()
	config, schedule, err := history.ParseToken(token)
	testkit.OK(t, err)
	r := testkit.Must(scenarios.Replay(t.Context(), config, schedule))(t)
	found := slices.DeleteFunc(slices.Clone(r.Violations), func(v history.Violation) bool { return v.Invariant != invariant })
	a := testkit.Must(scenarios.Explain(t.Context(), r.History, found[nth]))(t)
	check(t, token, r.History, found[nth])
	return r.History, a
}

// kindsOf names causes: "order B", "lease A", "fault A.lose-reply".
func kindsOf(h history.History, a explain.Account) (kinds []string) {
	for _, c := range a.Causes {
		what := c.Client
		if c.Kind == explain.Fault {
			what = h.Schedule[c.Action].String()
		}
		kinds = append(kinds, string(c.Kind)+" "+what)
	}
	return kinds
}

// TestRules: what was wrongly a cause, or wrongly none.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		about, token, invariant string
		nth                     int
		want                    []string
	}{
		{"with its reply delivered, the DEL removes the key all the same",
			"ls1.QJ5e4CouKUosSU2vtC1OLdFNSc1RSM7JTM0rKbZ11HHictQyU9A2MzAwUHDSMlZw1MvJL07VLUotyKkEBAAA__8",
			history.ForeignRelease, 0, []string{"lease A", "order B"}},
		{"with its reply delivered, the client does not acquire twice",
			"ls1.91_OdCouKUosSU2vtC1KTc0rKUrMK9HNSCzOUEjOyUzNKym2ddRxUihPzCyxNStWKMjPybE1LuZy1DJScNTLyS9O1S1KLcipVCjJTM5WcIRSWhaAAAAA__8",
			history.Leak, 0, []string{"fault A.lose-reply"}},
		{"the eviction befell the first lease ...",
			"ls1.N2Cx8CouKUosSU2vtC1OLdHNKU1USM7JTM0rKbZ11HFSKMovzUsptjXictQyVigy1Esty0wuUXDUMlPQNjUwMAQEAAD__w",
			history.PhantomHold, 0, []string{"fault r1.evict"}},
		{"... and time the second",
			"ls1.N2Cx8CouKUosSU2vtC1OLdHNKU1USM7JTM0rKbZ11HFSKMovzUsptjXictQyVigy1Esty0wuUXDUMlPQNjUwMAQEAAD__w",
			history.PhantomHold, 1, []string{"lease A"}},
		{"that time passed makes the EXPIRE show, and does not cause it",
			"ls1.OsmCWSouKUosSU2vtM0tzSnJ1C1OLcmr0E2tKMgsSlVIzslMzSsptnXUcVIozy_KtjUq5nLUMlEoyUzOVnDSMgIEAAD__w",
			history.OverwrittenLease, 0, []string{"order A"}},
		{"leases of 5000 s, which the TTL of 5 s became by mistake",
			"ls1.TcYm1CouKUosSU2vtC1KTcnJT87WzUvMLEtVSM7JTM0rKbZ11HFSyMtPSS22NeZy1DJXcFIoyUzOVnDSMgMEAAD__w",
			history.MutualExclusion, 0, []string{"order A", "lease A"}},
	} {
		h, a := explained(t, c.token, c.invariant, c.nth)
		if got := kindsOf(h, a); !slices.Equal(got, c.want) {
			t.Errorf("%s: the causes are %q, want %q", c.about, got, c.want)
		}
		for _, r := range a.Remedies {
			if r.Lease > 0 && c.invariant == history.MutualExclusion {
				t.Errorf("%s: a lease of %v instead of %v helps", c.about, r.Lease, h.Config.TTL)
			}
		}
	}
}

// TestRemedyBringsNothing: a lock that violates something else is none.
func TestRemedyBringsNothing(t *testing.T) {
	s, err := scenarios.Find("a_reentrant_count_outlives_its_lease")
	r := played(t, s, err)
	for _, v := range r.Violations {
		if v.Invariant != history.PhantomHold {
			continue
		}
		a, err := scenarios.Explain(t.Context(), r.History, v)
		if err != nil || slices.ContainsFunc(a.Remedies, func(r explain.Remedy) bool { return r.Lock == "watchdog-lua" }) {
			t.Errorf("it locks itself out: %+v, %v", a.Saved, err)
		}
	}
}

// TestLate: without its delay a request arrives when it was sent.
func TestLate(t *testing.T) {
	s, err := scenarios.Find("a_late_del")
	r := played(t, s, err)
	late := 0
	for _, v := range r.Violations {
		check(t, s.Name, r.History, v)
		a := testkit.Must(scenarios.Explain(t.Context(), r.History, v))(t)
		for _, o := range a.IfOnly {
			if o.Asks.ID != "if-fault" || r.History.Schedule[a.Causes[o.Causes[0]].Action].Verb != history.Late {
				continue
			}
			late++
			lost := func(e history.Event) bool { return e.Kind == history.TimeOut }
			if slices.ContainsFunc(o.Played.Events, lost) || !slices.ContainsFunc(r.History.Events, lost) {
				t.Errorf("%s: somebody waits in vain in %v", v.Invariant, o.Played.Schedule)
			}
		}
	}
	if late == 0 {
		t.Error("no violation depends on the delay")
	}
}

// TestPutOff: what is put off happens after the violation, and is not left out.
func TestPutOff(t *testing.T) {
	s, err := scenarios.Find("del_removes_the_next_holders_lock")
	r := played(t, s, err)
	tried := 0
	for _, v := range r.Violations {
		a := testkit.Must(scenarios.Explain(t.Context(), r.History, v))(t)
		harm := r.History.Events[v.Seq].Pick
		for _, o := range a.IfOnly {
			if o.Asks.ID != "if-order" {
				continue
			}
			tried++
			c := a.Causes[o.Causes[0]]
			off := 0
			for _, act := range r.History.Schedule[c.Action : harm+1] {
				if act.Client == c.Client {
					off++
				}
			}
			by := 0
			for _, e := range o.Played.Events[:o.Ends[harm]] {
				if e.Client == c.Client && e.Pick >= c.Action {
					by++
				}
			}
			if off > 0 && by == 0 {
				t.Errorf("%s: %s does nothing of the %d steps that are put off", v.Invariant, c.Client, off)
			}
		}
	}
	if tried == 0 {
		t.Error("no cause is an order")
	}
}

// TestDelays: a cause without which it happens later says so.
func TestDelays(t *testing.T) {
	delays := 0
	for _, name := range []string{"a_cache_rebuilt_by_all", "a_late_del"} {
		s, err := scenarios.Find(name)
		r := played(t, s, err)
		for _, v := range r.Violations {
			a := testkit.Must(scenarios.Explain(t.Context(), r.History, v))(t)
			for _, o := range a.IfOnly {
				for _, i := range o.Causes {
					if later := o.Came.ID == "then-later" || o.Came.ID == "then-never"; a.Causes[i].Delays != later {
						t.Errorf("%s %s: %s, and delays is %t", name, v.Invariant, o.Came.ID, a.Causes[i].Delays)
					}
					if a.Causes[i].Delays {
						delays++
					}
				}
			}
		}
	}
	if delays == 0 {
		t.Error("nothing is only delayed")
	}
}

// checkLeast: a lease that is a second shorter does not save the run.
func checkLeast(t *testing.T, run string, h history.History, v history.Violation, r explain.Remedy) {
	t.Helper()
	config := h.Config
	if config.TTL = r.Lease - history.Second; config.TTL <= h.Config.TTL {
		return
	}
	subject := testkit.Must(scenarios.SubjectOf(config.Strategy))(t)
	w := testkit.Must(world.New(config, subject))(t)
	defer w.Close()
	now := history.Millis(0)
	for i, a := range h.Schedule {
		before := now
		for _, e := range h.Events {
			if e.Pick == i {
				now = e.At
			}
		}
		if a.Verb.IsTime() {
			a = history.Action{Verb: history.Advance, By: now - before}
		}
		switch {
		case w.Refusal(a).No():
			testkit.OK(t, w.Perform(a))
		case a.Verb != history.Step && a.Verb != history.Send && a.Verb != history.Arrive:
			return // a fault did not happen: it is another schedule
		}
	}
	mine, events := history.Check(h), w.History().Events
	fails := slices.ContainsFunc(history.Check(w.History()), func(u history.Violation) bool {
		return u.Invariant == v.Invariant || !slices.ContainsFunc(mine, func(m history.Violation) bool { return m.Invariant == u.Invariant })
	})
	if v.Invariant == history.LostWakeup {
		if woken, err := w.Wakes(v.Client); err != nil || !woken {
			return
		}
	}
	if !fails && (came(events, v) >= came(h.Events[:v.Seq+1], v) || waits(events, v)) {
		t.Errorf("%s %s: a lease of %v would do, and %v is named", run, v.Invariant, config.TTL, r.Lease)
	}
}

// TestOneLeaseOfSeveral: where leases of two clients end at once, the cause is that of
// the client whom it harms.
func TestOneLeaseOfSeveral(t *testing.T) {
	config := testkit.Must(history.ParseConfig("strategy=redlock clients=A,B"))(t)
	schedule := testkit.Must(history.ParseSchedule("A*3 A.crash B*8 +5001"))(t)
	h, a := explained(t, history.Token(config, schedule), history.PhantomHold, 0)
	owners := map[string]bool{}
	for _, e := range h.Events {
		if e.Kind == history.Expire {
			owners[e.Changes[0].Before.Value[:1]] = true
		}
	}
	if len(owners) != 2 {
		t.Fatalf("leases of %v end in %v", owners, h.Schedule)
	}
	if len(a.Causes) != 1 || a.Causes[0].Kind != explain.Lease || a.Causes[0].Client != "B" {
		t.Errorf("the causes are %+v", a.Causes)
	}
}

// TestLeaseOfAnotherLength: where a lock's lease is not the configured one, no remedy
// compares with that.
func TestLeaseOfAnotherLength(t *testing.T) {
	for invariant, token := range map[string]string{
		history.PhantomHold: "ls1.FS2m2SouKUosSU2vtC1KTcnJT87WzUvMLEtVSM7JTM0rKbZ11HFSyMtPSS22NeZy1DJTKMlMzgYEAAD__w",
		history.StaleWrite:  "ls1.tYlRuiouKUosSU2vtC1KTcnJT87WzUvMLEtVSM7JTM0rKbZ11HFSyMtPSS22NeZy1LJQcFIoyUzOVnDSMldwBAQAAP__",
	} {
		_, a := explained(t, token, invariant, 0)
		for _, r := range a.Remedies {
			if r.Lease > 0 {
				t.Errorf("%s: a lease of %v helps", invariant, r.Lease)
			}
		}
	}
}
