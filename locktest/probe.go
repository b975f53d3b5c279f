package locktest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// This file finds out by probes what a lock draws at random. A probe
// is one schedule without faults: the clients, two or one, take their steps in turn.

// probed returns a lock with what the probes show. It makes known to package bubble
// where the lock draws delays. The lock is odd if a probe fails or a second one differs, or if it
// is mute: what an earlier run left in a package variable may keep it so.
func probed(subject program.Subject) (_ program.Subject, traits program.Traits, odd bool) {
	patience := program.Patience()
	defer program.SetPatience(patience)
	program.SetPatience(patience / 2) // the trial will wait for stuck code, and report it
	subject.Draws = true
	before := bubble.Named()
	usual := probe(subject)
	subject.Draws = bubble.Named() > before
	odd = usual.wrong || usual.traits.Mute != "" || !usual.traits.Endless && !slices.Equal(probe(subject).when, usual.when)
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
	usual.traits.Draws, usual.traits.Delays = subject.Draws, subject.Delays
	return subject, usual.traits, odd
}

// note notes the keys that the first acquisition of a run changes, those of its client.
func (p *probing) note(events []history.Event) {
	changed := map[string][]string{}
	for _, e := range events {
		keys := changed[e.Client]
		for _, ch := range e.Changes {
			keys = append(keys, ch.Key)
		}
		changed[e.Client] = keys
		if e.Outcome == history.Acquired {
			slices.Sort(keys)
			p.traits.Keys, p.traits.Keyless = slices.Compact(keys), keys == nil
			p.traits.Stays = len(p.traits.Keys) == 1 && stays(events, keys[0])
			return
		}
	}
}

// mute returns Traits.Mute of a run.
func mute(events []history.Event) string {
	said := ""
	for _, e := range events {
		switch {
		case e.Outcome == history.Acquired, e.Kind == history.Panic, e.Kind == history.Request:
			return ""
		case e.Op == history.OpAcquire && e.Kind == history.Invoke:
			said = cmp.Or(said, "it did not return while Lockstep looked")
		case e.Op == history.OpAcquire:
			said = cmp.Or(e.Text, e.Outcome, "an empty error")
		}
	}
	return said
}

// stays reports whether a string or hash was there from an acquisition over its release to the
// next one, of another client or after its own had changed its value, while nobody was beside another.
func stays(events []history.Event, key string) bool {
	var last history.Event // acquisition
	there, held, changed, found := false, false, false, false
	for _, e := range events {
		for _, ch := range e.Changes {
			switch {
			case ch.Key != key:
			case ch.After == nil, ch.After.Value == "0": // a counter
				there = false
			case ch.After.Type != "string" && ch.After.Type != "hash":
				return false
			case !there: // it is new
				there, last.Client = true, ""
			default:
				changed = changed || e.Client == last.Client && ch.Before.Value != ch.After.Value
			}
		}
		switch {
		case e.Outcome == history.Acquired && held:
			return false
		case e.Outcome == history.Acquired:
			found = found || there && last.Client != "" && (last.Client != e.Client || changed)
			last, held, changed = e, true, false
		case e.Op == history.OpRelease && e.Kind != history.Invoke:
			held = false
		}
	}
	return found
}

// A probing is what two clients did in a probe.
type probing struct {
	sent   map[string]bool // the commands of each
	when   []string        // the commands in order, with their times
	wrong  bool            // see played
	traits program.Traits
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
	if subject.World != nil {
		subject.World(&config)
	}
	config.Work, config.Rounds = config.TTL, 2
	p := &probing{sent: map[string]bool{}}
	h, err := played(subject, config)
	if stuck := (&program.StuckError{}); errors.As(err, &stuck) {
		p.traits.Endless = stuck.Spins()
	}
	p.wrong = err != nil && !p.traits.Endless
	before := map[int]string{} // what an operation sent last
	for _, e := range h.Events {
		if e.Kind == history.Receive {
			clear(before)
		}
		if e.Kind != history.Request {
			continue
		}
		command := fmt.Sprint(e.Client, " ", strings.Join(slices.Concat(e.Cmds...), " "))
		when := fmt.Sprint(e.At, " ", command)
		p.sent[command] = true
		p.when = append(p.when, when)
		p.traits.AtOnce = p.traits.AtOnce || before[e.During] == when+e.Node
		before[e.During] = when + e.Node
	}
	if subject.Server == sim.Redis {
		p.note(h.Events)
		if err == nil {
			p.traits.Mute = mute(h.Events)
		}
	}
	return p
}

// played is a probe, and the error if its clients could not go on.
func played(subject program.Subject, config history.Config) (h history.History, err error) {
	config.Strategy = "probe"
	w, err := world.New(config, subject)
	if err != nil {
		return h, nil // the trial will report the error
	}
	defer w.Close()
	last := ""
	for range maxProbing * len(config.Clients) {
		enabled := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
		next := slices.IndexFunc(enabled, func(a history.Action) bool { return a.Verb == history.Step && a.Client != last })
		if len(enabled) == 0 {
			break
		}
		a := enabled[max(next, 0)]
		if err = w.Perform(a); err != nil {
			break
		}
		last = a.Client
	}
	return w.History(), err
}
