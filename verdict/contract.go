package verdict

import (
	"slices"

	"lockstep/sim/history"
)

// An Allowance is a violation that the contract of a lock does not exclude.
type Allowance struct {
	Invariant string `json:"invariant"`
	Hazard    string `json:"hazard"`
	Why       string `json:"why"`
	Own       bool   `json:"own,omitempty"` // the test's, not of every lease
}

// leaseContract is what no lease can exclude, whatever its code: it is granted
// for a time, by a server that can forget it, to a client that may not learn so.
var leaseContract = slices.Concat(
	allow("a lease ends when its time is over, and its holder may still be at work",
		[]string{"overrun", "hang", "client-clock", "node-clock"},
		history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate),
	allow("the server can forget the key, and with it the lease",
		[]string{"node-restart", "eviction", "failover"},
		history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate),
	allow("who never hears that it acquired keeps itself out until its lease ends",
		[]string{"lost-reply", "late-request", "partition"}, history.SelfDeadlock),
	allow("it is not reentrant", []string{"reentry"}, history.SelfDeadlock),
)

func allow(why string, hazards []string, invariants ...string) (list []Allowance) {
	for _, h := range hazards {
		for _, i := range invariants {
			list = append(list, Allowance{Invariant: i, Hazard: h, Why: why})
		}
	}
	return list
}

// allowed says why an invariant may be violated under a hazard; "" if it may
// not.
func (p *Plan) allowed(invariant, hazard string) string {
	for _, a := range p.Contract {
		if a.Invariant == invariant && a.Hazard == hazard {
			return a.Why
		}
	}
	return ""
}
