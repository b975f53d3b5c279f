package sim

import (
	"context"
	"fmt"

	"lockstep/sim/history"
	"lockstep/strategies"
)

// RecoveryLeases is how many leases lock-recovers waits for somebody to
// acquire. A lock that needs longer does not clean up after a crash in any
// useful sense.
const RecoveryLeases = 20

// maxBusy is how many steps everybody may take before time moves on all the
// same: a client that polls without a pause would never let it.
const maxBusy = 50

// probe is the name of the client that tries to acquire in the end. No world
// can have it: a client's name begins with a capital letter.
const probe = "probe"

// Recovers decides the invariant lock-recovers for the state that a schedule
// leads to. It plays the schedule in a world of its own, stops all faults,
// lets everybody run in turn and time pass, adds one more client that keeps
// trying, and asks whether anybody acquires within RecoveryLeases leases. If
// nobody does, detail says what became of the key.
func Recovers(config history.Config, subject Subject, s history.Schedule) (ok bool, detail string, err error) {
	w, err := New(config, subject)
	if err != nil {
		return false, "", err
	}
	defer w.Close()
	if err := w.Run(s); err != nil {
		return false, "", fmt.Errorf("replay: %w", err)
	}
	from := len(w.events)
	w.addProbe()
	horizon := w.now + RecoveryLeases*config.TTL
	busy := 0 // rounds since time last moved
	for w.now <= horizon {
		w.fairRound()
		busy++
		for ; from < len(w.events); from++ {
			e := w.events[from]
			if e.Kind == history.Return && (e.Outcome == history.Acquired || e.Outcome == history.Updated) {
				return true, "", nil
			}
		}
		if idle := w.idle(); idle || busy == maxBusy {
			next, timed := w.nextDeadline()
			if !timed && idle {
				break
			}
			if !timed {
				next = w.now + config.TTL
			}
			w.advance(next)
			busy = 0
		}
	}
	return false, w.keyDetail(), nil
}

// addProbe adds the client that only acquires.
func (w *World) addProbe() {
	c := &client{world: w, name: probe, clock: newClock()}
	w.clients = append(w.clients, c)
	c.addThread("", func() {
		lock := w.subject.New(c.env())
		if u, ok := lock.(strategies.Updater); ok {
			c.update(u)
			return
		}
		poll := max(1, w.config.TTL/2)
		for {
			if _, err := c.try(lock); err == nil {
				return
			}
			_ = clientClock{c}.Sleep(context.Background(), poll.Duration())
		}
	})
}

// fairRound lets late requests arrive and every thread that can take a step
// take one.
func (w *World) fairRound() {
	for i := 0; i < len(w.clients); i++ {
		c := w.clients[i]
		for c.orphan() != nil {
			w.late(c)
		}
		for j := 0; j < len(c.threads); j++ {
			if t := c.threads[j]; !c.dead && t.refusal(w.now) == "" {
				w.step(t)
			}
		}
	}
}

// idle says whether only time can make a difference.
func (w *World) idle() bool {
	for _, c := range w.clients {
		for _, t := range c.threads {
			if !c.dead && t.refusal(w.now) == "" {
				return false
			}
		}
	}
	return true
}

// keyDetail says what stands in the way of an acquisition.
func (w *World) keyDetail() string {
	for _, k := range w.Keys() {
		if k.Key != w.config.Key() {
			continue
		}
		left := "no TTL"
		if k.State.Deadline > 0 {
			left = fmt.Sprintf("%v of its TTL left", k.State.Deadline-w.now)
		}
		return fmt.Sprintf("still %s after %d leases, %s", k.State.Value, RecoveryLeases, left)
	}
	return fmt.Sprintf("nobody acquired within %d leases", RecoveryLeases)
}

// FindOrphan decides lock-recovers for the end of a run and, if it is
// violated there, returns the violation at the event from which on no
// recovery was possible.
func FindOrphan(h history.History, subject Subject) (*history.Violation, error) {
	ok, detail, err := Recovers(h.Config, subject, h.Schedule)
	if ok || err != nil {
		return nil, err
	}
	n := len(h.Schedule)
	for n > 0 {
		ok, _, err := Recovers(h.Config, subject, h.Schedule[:n-1])
		if err != nil {
			return nil, err
		}
		if ok {
			break
		}
		n--
	}
	seq := 0
	for seq < len(h.Events)-1 && h.Events[seq].Pick < n-1 {
		seq++
	}
	return &history.Violation{
		Invariant: history.LockRecovers, Seq: seq, Client: h.Events[seq].Client,
		Key: h.Config.Key(), Detail: detail, Causes: []int{seq},
	}, nil
}
