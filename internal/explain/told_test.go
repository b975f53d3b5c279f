package explain_test

import (
	"slices"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestTold: what is told of some violations, whole, in the words of a learner.
func TestTold(t *testing.T) {
	b := prose.Load("en")
	for _, tt := range []struct {
		story, invariant string
		want             []string
	}{
		{"del_removes_the_next_holders_lock", history.StaleWrite, []string{ // B's lease had not ended by time
			"At 3.001s B wrote stock = 0, computed from the 1 that it had read at 3.001s. B did not hold the lock then, and the resource had already served C, which acquired later.",
			"A's lease of 3s began at 0s and was over by 3.001s.",
			"A's DEL (set_del.go:28) removed B's lock:stock at 3.001s.",
			"C read stock = 1 at 3.001s.",
			"C had written stock = 0 too. One of the two changes is lost.",
			"fenced instead of set-del, with the same steps: B writes stock = 0, fencing token 2. Under overrun, no schedule within the bounds of the explorer violates the invariant.",
			"In this run, a lease of 4s instead of 3s: B acquire -> refused. If 7.001s pass instead of 3.001s, that lease ends too early as well.",
		}},
		{"del_removes_the_next_holders_lock", history.ForeignRelease, []string{
			"At 3.001s A's DEL (set_del.go:28) removed lock:stock. B had taken it at 3.001s by SET (set_del.go:16).",
			"A's lease of 3s began at 0s and was over by 3.001s.",
			"B's SET (set_del.go:16) took the free lock:stock at 3.001s.",
			"DEL (set_del.go:28) does not check the owner, and A had not read the key earlier in this operation.",
			"C acquired at 3.001s, while B still thought that it held the lock.",
			"set-lua instead of set-del, with the same steps: A EVALSHA {21a618} 1 lock:stock A-1 -> 0. Under overrun, no schedule within the bounds of the explorer violates the invariant.",
			"In this run, a lease of 4s instead of 3s. If 7.001s pass instead of 3.001s, that lease ends too early as well.",
		}},
		{"the_failed_redlock_frees_everybody", history.ForeignRelease, []string{ // nobody paused, and nothing ended
			"At 0s B's DEL (redlock_naive.go:38) removed lock:stock on r1. A had taken it at 0s by SET (redlock_naive.go:22).",
			"A's SET (redlock_naive.go:22) took the free lock:stock on r3 at 0s, and then owned it on 3 of 5 nodes.",
			"DEL (redlock_naive.go:38) does not check the owner, and B had not read the key earlier in this operation.",
			"C acquired at 0s, while A still thought that it held the lock.",
			"redlock instead of redlock-naive, with the same steps: B r1 EVALSHA {21a618} 1 lock:stock B-1 -> 0. Under contention, no schedule within the bounds of the explorer violates the invariant.",
		}},
		{"the_lease_ends_between_get_and_del", history.ForeignRelease, []string{
			"At 3.001s A's DEL (get_then_del.go:43) removed lock:stock. B had taken it at 3.001s by SET (get_then_del.go:21).",
			"A's lease of 3s began at 0s and was over by 3.001s.",
			"B's SET (get_then_del.go:21) took the free lock:stock at 3.001s.",
			"A had checked at 0s by GET (get_then_del.go:32) and got A-1. Then the lock changed hands, and DEL (get_then_del.go:43) at 3.001s did not check again.",
			"C acquired at 3.001s, while B still thought that it held the lock.",
			"set-lua instead of get-then-del, with the same steps: A EVALSHA {21a618} 1 lock:stock A-1 -> 1. Under overrun, no schedule within the bounds of the explorer violates the invariant.",
			"In this run, a lease of 4s instead of 3s. If 7.001s pass instead of 3.001s, that lease ends too early as well.",
		}},
		{"two_clients_draw_the_same_id", history.EqualTokens, []string{
			"At 3.001s A's DEL (weak_token.go:58) removed lock:stock. B had taken it at 3.001s by SET (weak_token.go:29).",
			"A's lease of 3s began at 0s and was over by 3.001s.",
			"B's SET (weak_token.go:29) took the free lock:stock at 3.001s.",
			"A had checked at 3.001s by GET (weak_token.go:47) and got 695661c000000. B had stored that value, and A still went on.",
			"C acquired at 3.001s, while B still thought that it held the lock.",
			"set-lua instead of weak-token, with the same steps: A EVALSHA {21a618} 1 lock:stock A-1 -> 0. Under overrun, no schedule within the bounds of the explorer violates the invariant.",
			"In this run, a lease of 4s instead of 3s. If 7.001s pass instead of 3.001s, that lease ends too early as well.",
		}},
		{"the_losers_expire_renews_the_dead", history.LockRecovers, []string{ // there is a TTL
			"No client acquires lock:stock within another 1m, even if from 0s on nothing fails, requests in transit arrive and the other clients go on.",
			"A crashed at 0s while it owned the lock.",
			"B extends the lease again and again by MULTI SETNX EXPIRE EXEC (multi_setnx_expire.go:19). If all clients had been idle until it expired, the lock would have been free.",
			"The key is still A-1.",
			"set-lua instead of multi-setnx-expire, with the same steps. Under crash, no schedule within the bounds of the explorer violates the invariant.",
		}},
		{"a_fast_clock_steals_a_live_lock", history.MutualExclusion, []string{ // no lease helps against a clock
			"At 0s B entered the critical section. A had been inside since 0s.",
			"B's clock jumped by 10s at 0s.",
			"A entered the critical section at 0s.",
			"B and A were inside together at 0s, until B left.",
			"In this run, set-lua instead of getset-timestamp, with the same steps: B acquire -> refused. Under client-clock, other schedules violate the invariant with it too.",
		}},
		{"a_pause_beats_every_lease", history.StaleWrite, []string{
			"At 7s A wrote stock = 0, computed from the 1 that it had read at 0s. A did not hold the lock then, and the resource had already served B, which acquired later.",
			"A's lease of 6s began at 0s and was over by 6.001s. A was still in the critical section.",
			"B read stock = 1 at 7s.",
			"B had read stock = 1 at 7s and works with that, but it is 0 now.",
			"fenced instead of watchdog-lua, with the same steps: A: the resource refuses stock = 0, fencing token 1. Under overrun, no schedule within the bounds of the explorer violates the invariant.",
			"In this run, a lease of 7s instead of 6s. If 14s pass instead of 7s, that lease ends too early as well.",
		}},
		{"a_lost_reply_locks_its_sender_out", history.SelfDeadlock, []string{
			"At 2s A was refused by its own lock:stock, which its SET (set_lua.go:29) had taken at 0s.",
			"B's EVALSHA (set_lua.go:40) released its own lock:stock at 0s.",
			"r1 executed A's SET (set_lua.go:29) at 0s, but the reply was lost: A does not know.",
			"A lease of its own, of which A does not know, keeps it out for up to 5s (the TTL). Code that keeps the token of a try without an answer, and releases it before the next try, as redsync does, avoids this; other code accepts the wait.",
			"lock:stock is still A-1, until it expires at 5s.",
			"set-get-idempotent instead of set-lua, with the same steps: A acquire -> acquired. Under lost-reply, no schedule within the bounds of the explorer violates the invariant.",
		}},
		{"the_lock_that_never_asked", history.PhantomHold, []string{
			"At 0s A's acquire reported success. But A does not own lock:stock.",
			"Between the call of acquire and its return at 0s, A sent nothing to the server.",
			"This run was played again without each single fault, and with each deadline and each step of another client delayed. The invariant was violated each time.",
			"B acquired at 0s, while A still thought that it held the lock.",
			"reentrant-hash instead of reentrant-misprint, with the same steps. Under contention, no schedule within the bounds of the explorer violates the invariant.",
		}},
	} {
		t.Run(tt.story+" "+tt.invariant, func(t *testing.T) {
			s, err := scenarios.Find(tt.story)
			r := played(t, s, err)
			i := slices.IndexFunc(r.Violations, func(v history.Violation) bool { return v.Invariant == tt.invariant })
			a := testkit.Must(scenarios.Explain(t.Context(), r.History, r.Violations[i]))(t)
			got := []string{a.Happened.Text(b)}
			for _, s := range append(a.Why, a.Code...) {
				got = append(got, s.Text(b))
			}
			got = append(got, a.Cost.Text(b))
			for _, s := range a.Saved {
				got = append(got, s.Text(b))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("told\n %q\nwant\n %q", got, tt.want)
			}
		})
	}
}

// TestEveryKindHasWords: whatever may go wrong, be done to the resource or be guarded
// has its sentence.
func TestEveryKindHasWords(t *testing.T) {
	b := prose.Load("en")
	ids := []string{"fault-jump-client"}
	for _, verb := range history.Verbs() {
		if !verb.IsTime() && verb != history.Step && verb != history.Send && verb != history.Arrive {
			ids = append(ids, "fault-"+string(verb))
		}
	}
	for _, op := range []string{history.Enter, history.ReadOp, history.WriteOp, history.Refuse, history.Leave, history.Abandon} {
		ids = append(ids, "order-"+op)
	}
	for _, resource := range history.Resources() {
		ids = append(ids, "cost-"+resource)
	}
	for _, id := range ids {
		if b.Say(id, prose.Facts{Client: "A", Node: "r1"}) == id {
			t.Errorf("nobody has written %s", id)
		}
	}
}
