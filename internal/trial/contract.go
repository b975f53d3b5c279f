package trial

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// An Allowance is a violation that the contract of a lock does not exclude.
type Allowance struct {
	Invariant string `json:"invariant"`
	Hazard    string `json:"hazard"`
	Why       string `json:"why"`
	Own       bool   `json:"own,omitempty"` // the test's, not of every lease
}

// reasons are those of leaseContract, for the translations.
var reasons = []lang.Word{
	"a lease ends when its time is over, and its holder may still be at work",
	"the server can forget the key, and with it the lease",
	"who never hears that it acquired keeps itself out until its lease ends",
	"it is not reentrant",
	"the server can forget a release, and with it that the lease is over",
}

// leaseContract lists the violations that no lease can exclude: a lease lasts
// for a time, and the server or the client can miss its end.
var leaseContract = slices.Concat(
	allow(reasons[0],
		[]string{"overrun", "hang", "client-clock", "node-clock"},
		history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate),
	allow(reasons[1],
		[]string{"node-restart", "eviction", "failover"},
		history.MutualExclusion, history.PhantomHold, history.StaleWrite, history.LostUpdate),
	allow(reasons[2],
		[]string{"lost-reply", "late-request", "partition"}, history.SelfDeadlock),
	allow(reasons[3], []string{"reentry"}, history.SelfDeadlock),
	allow(reasons[4], []string{"failover"}, history.SelfDeadlock),
)

func allow(why lang.Word, hazards []string, invariants ...string) (list []Allowance) {
	for _, h := range hazards {
		for _, i := range invariants {
			list = append(list, Allowance{Invariant: i, Hazard: h, Why: string(why)})
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
