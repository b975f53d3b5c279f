package explore

import (
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A Renewal is what a probe shows of how a lock keeps its lease.
type Renewal struct {
	Lease history.Millis // as the lock takes it, whatever the TTL
	Every history.Millis // the time after which its holder lengthens it; 0 for never
	Nests bool           // the holder can acquire it again
	// Fixed says that Every is the same with a TTL that is shorter, and the Lease is not.
	Fixed bool
}

// renewal probes how a lock keeps its lease: on a node whose clock is right, or else almost stands
// still, so that a renewal comes before the lease ends, however late it is.
func renewal(s program.Subject, c history.Config) Renewal {
	c.Nest = 1
	r := probe(s, c, 1000)
	if r.Every == 0 {
		r = probe(s, c, 1)
	}
	if r.Every == 0 {
		return r
	}
	nested, short := c, c
	nested.Nest, short.TTL = 2, Short(r.Every)
	r.Nests = probe(s, nested, 1000).Nests
	of := probe(s, short, 500)
	r.Fixed = of.Every == r.Every && of.Lease < r.Lease
	return r
}

// Lease is the time for which a lock takes a key; 0 if a server does not know it.
func Lease(s program.Subject, c history.Config) history.Millis { return probe(s, c, 1000).Lease }

// Short is a TTL that is shorter than an interval, and more than half of it.
func Short(every history.Millis) history.Millis { return every * 4 / 5 }

// maxProbe bounds the actions of a probe.
const maxProbe = 300

// probe plays one schedule: a client alone acquires the lock, and works for almost a lease on
// a node whose clock runs at so many thousandths of true speed.
func probe(s program.Subject, c history.Config, rate history.Millis) (r Renewal) {
	c.Clients, c.Work = c.Clients[:1], c.TTL*1000/rate-1
	w, err := world.New(c, s)
	if err != nil {
		return r
	}
	defer w.Close()
	for i := range w.History().Nodes {
		_ = w.Perform(history.Action{Verb: history.Rate, Node: history.NodeName(i), By: rate})
	}
	began, held := history.Millis(0), false
	for i, seen := 0, 0; i < maxProbe && r.Every == 0; i++ {
		next := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
		if len(next) == 0 || w.Perform(next[0]) != nil {
			break
		}
		for _, e := range w.History().Events[seen:] {
			seen++
			if e.Op == history.OpRelease {
				return r // what a release leaves behind is no renewal
			}
			if e.Acquires() {
				r.Nests, began, held = held, e.At, true
			}
			for _, ch := range e.Changes {
				switch {
				case ch.After == nil:
				case !held:
					r.Lease = max(r.Lease, (ch.After.Deadline-e.At)*rate/1000)
				case ch.Before != nil && ch.After.Deadline > ch.Before.Deadline:
					r.Every = e.At - began
				}
			}
		}
	}
	return r
}
