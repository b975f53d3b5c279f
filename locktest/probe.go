package locktest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// This file finds out by probes what a lock draws at random. A probe is one
// schedule without faults: two clients take their steps in turn.

// probed returns a lock with what the probes show: whether it draws values that
// cannot be repeated, and whether it draws delays. It makes known to package
// bubble where it draws those. The lock is odd if a probe fails or a second one differs.
func probed(subject program.Subject) (_ program.Subject, odd bool) {
	patience := program.Patience()
	defer program.SetPatience(patience)
	program.SetPatience(patience / 2) // the trial will wait for stuck code, and report it
	subject.Draws = true
	usual := probe(subject)
	subject.Draws = bubble.Named()
	odd = usual.wrong || !slices.Equal(probe(subject).when, usual.when)
	var delays []string
	for _, site := range bubble.Sites() {
		bubble.Flip(site)
		if site != "" && probe(subject).later(usual) {
			delays = append(delays, site)
		}
	}
	bubble.Flip("")
	bubble.Delays(delays)
	subject.Delays = len(delays) > 0
	return subject, odd
}

// A probing is what two clients did in a probe.
type probing struct {
	sent map[string]bool // the commands of each
	when []string        // the commands in order, with their times
	// wrong says that they could not go on, though none runs without end.
	wrong bool
}

// later reports whether two probings differ, but only in when commands were sent.
// Either may have come further.
func (p *probing) later(q *probing) bool {
	return !slices.Equal(p.when, q.when) && (p.within(q) || q.within(p))
}

// within reports whether the other has all the commands.
func (p *probing) within(other *probing) bool {
	for command := range p.sent {
		if !other.sent[command] {
			return false
		}
	}
	return true
}

// maxProbing bounds the steps of each client.
const maxProbing = 100

func probe(subject program.Subject) *probing {
	config := history.Default()
	config.Strategy, config.Work, config.Rounds = "probe", config.TTL, 2
	p := &probing{sent: map[string]bool{}}
	w, err := world.New(config, subject)
	if err != nil {
		return p // the trial will report the error
	}
	defer w.Close()
	last := ""
	for range maxProbing * len(config.Clients) {
		enabled := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
		next := slices.IndexFunc(enabled, func(a history.Action) bool { return a.Verb == history.Step && a.Client != last })
		if len(enabled) == 0 {
			break
		}
		if err := w.Perform(enabled[max(next, 0)]); err != nil {
			stuck := &program.StuckError{}
			p.wrong = !errors.As(err, &stuck) || !stuck.Spins()
			break
		}
		last = enabled[max(next, 0)].Client
	}
	for _, e := range w.History().Events {
		if e.Kind == history.Request {
			command := fmt.Sprint(e.Client, " ", strings.Join(slices.Concat(e.Cmds...), " "))
			p.sent[command] = true
			p.when = append(p.when, fmt.Sprint(e.At, " ", command))
		}
	}
	return p
}
