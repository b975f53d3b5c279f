package scenarios

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Fact is what a prediction asks for. The run decides it in the step after the
// question.
type Fact struct {
	kind   string
	client string // the client or node it concerns, if any
	cmd    string // reply: to which command
}

func (f Fact) String() string {
	return strings.Join(strings.Fields(f.kind+" "+f.client+" "+f.cmd), " ")
}

// A factKind is a kind of fact.
type factKind struct {
	client, cmd bool // what it names
	// offers are the default choices; nil if the story has to name them.
	offers func(c history.Config, nodes int) []string
	decide func(*evidence, Fact) (answer string, seq int)
}

// facts lists what a prediction can ask for.
var facts = map[string]factKind{
	// Example: acquire B = refused
	"acquire": {client: true, offers: always(history.Acquired, history.Refused), decide: returned(history.OpAcquire, history.OpUpdate)},
	// Example: release A = lost
	"release": {client: true, offers: always(history.Released, history.Lost), decide: returned(history.OpRelease)},
	// Example: reply B SETNX = 0
	"reply": {client: true, cmd: true, decide: (*evidence).reply},
	// Example: command A = DEL
	"command": {client: true, decide: (*evidence).command},
	// Example: removed A = B
	"removed": {client: true, offers: whose, decide: (*evidence).removed},
	// Example: holder = nobody
	"holder": {offers: whose, decide: (*evidence).holder},
	// Example: inside = 2
	"inside": {offers: upToClients, decide: (*evidence).inside},
	// Example: votes B = 2
	"votes": {client: true, offers: upToNodes, decide: (*evidence).votes},
	// Example: write A = refused
	"write": {client: true, offers: always(accepted, history.Refused), decide: (*evidence).write},
	// Example: writes = 2
	"writes": {offers: upToClients, decide: (*evidence).writes},
	// Example: ttl = none
	"ttl": {decide: (*evidence).ttl},
	// Example: elapsed = 0s
	"elapsed": {decide: (*evidence).elapsed},
	// Example: violated = mutual-exclusion
	"violated": {decide: (*evidence).violated},
	// Example: recovers = no
	"recovers": {offers: always("yes", "no"), decide: (*evidence).recovers},
}

// The answers that are not values of a history.
const (
	nobody   = "nobody"
	nothing  = "nothing"
	none     = "none"
	gone     = "gone"
	accepted = "accepted"
	failed   = "failed"
	unknown  = "unknown"
)

func factNames() []string { return slices.Sorted(maps.Keys(facts)) }

// parseFact reads the words of a fact, such as: reply B SETNX.
func parseFact(words []string, clients []string) (Fact, error) {
	if len(words) == 0 {
		return Fact{}, lang.Errorf("no fact that the run could decide; use one of %s", lang.Names(factNames()))
	}
	f := Fact{kind: words[0]}
	kind, ok := facts[f.kind]
	if !ok {
		return f, lang.Errorf("%q is not a fact; use %s", f.kind, lang.Fit(f.kind, factNames()))
	}
	rest := words[1:]
	if kind.client {
		if len(rest) == 0 || !slices.Contains(clients, rest[0]) {
			return f, lang.Errorf("%s wants a client of this world; use %s", f.kind, lang.Names(clients))
		}
		f.client, rest = rest[0], rest[1:]
	}
	if kind.cmd {
		if len(rest) == 0 || strings.Trim(rest[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return f, lang.Errorf("%s %s wants a Redis command in capitals, such as SET", f.kind, f.client)
		}
		f.cmd, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return f, lang.Errorf("%q is too much for %s", rest[0], f)
	}
	return f, nil
}

// evidence is the part of a run that decides a step's facts.
type evidence struct {
	h        history.History
	from, to int                 // the step's events: Events[from:to]
	found    []history.Violation // all of the run so far
	checked  bool                // the step is a check
	open     bool                // it could not tell whether the lock recovers
}

func (ev *evidence) step() []history.Event { return ev.h.Events[ev.from:ev.to] }

// last is the step's last event.
func (ev *evidence) last() int { return ev.to - 1 }

// watched folds the run into a monitor. It calls see with the event before the
// step and with each event of the step.
func (ev *evidence) watched(see func(m *history.Monitor, seq int)) {
	m := history.NewMonitor(ev.h.Config, ev.h.Nodes)
	for i, e := range ev.h.Events[:ev.to] {
		if i == ev.from {
			see(m, i-1)
		}
		m.Observe(e)
		if i >= ev.from {
			see(m, i)
		}
	}
	if ev.from == ev.to {
		see(m, ev.last())
	}
}

// returned decides the outcome of the first of some operations.
func returned(ops ...string) func(*evidence, Fact) (string, int) {
	return func(ev *evidence, f Fact) (string, int) {
		for _, e := range ev.step() {
			if e.Client != f.client || !slices.Contains(ops, e.Op) {
				continue
			}
			switch e.Kind {
			case history.Return:
				return e.Outcome, e.Seq
			case history.Fail:
				return failed, e.Seq
			case history.Unknown:
				return unknown, e.Seq
			}
		}
		return "", 0
	}
}

// reply decides the reply to the first such command. go-redis sends only a
// script's hash at first; a node that does not know it has not replied yet.
func (ev *evidence) reply(f Fact) (string, int) {
	is := moment{what: f.cmd}
	for _, e := range ev.step() {
		heard := e.Kind == history.Reply || e.Kind == history.Apply && e.Outcome == history.Unread
		if e.Client == f.client && heard && !strings.HasPrefix(e.Reply, "(error) NOSCRIPT") &&
			slices.ContainsFunc(e.Cmds, func(cmd []string) bool { return is.names(cmd[0]) }) {
			return e.Reply, e.Seq
		}
	}
	return "", 0
}

// command decides which command a client sends first.
func (ev *evidence) command(f Fact) (string, int) {
	for _, e := range ev.step() {
		if e.Client == f.client && e.Kind == history.Request {
			return e.Cmds[0][0], e.Seq
		}
	}
	return none, ev.last()
}

// removed decides whose key a client's commands remove.
func (ev *evidence) removed(f Fact) (string, int) {
	answer, at := nobody, ev.last()
	owners := map[string]string{} // by node, before the event
	note := func(m *history.Monitor) {
		for i := range ev.h.Nodes {
			name := nodeNames[i]
			owners[name] = m.Owner(name)
		}
	}
	ev.watched(func(m *history.Monitor, seq int) {
		if seq >= ev.from && answer == nobody && ev.h.Events[seq].Client == f.client {
			e := ev.h.Events[seq]
			at = seq
			for _, ch := range e.Changes {
				if e.Kind == history.Apply && ch.Key == ev.h.Config.Key() && ch.After == nil {
					answer = owners[e.Node]
				}
			}
		}
		note(m)
	})
	return answer, at
}

// holder decides who owns the lock in Redis after the step.
func (ev *evidence) holder(Fact) (string, int) {
	answer, at := "", ev.last()
	ev.watched(func(m *history.Monitor, seq int) {
		now := nobody
		for _, c := range ev.h.Config.Clients {
			if m.Owns(c) {
				now = c
			}
		}
		if now != answer && seq >= ev.from {
			at = seq
		}
		answer = now
	})
	return answer, at
}

// inside decides the largest number of clients that are in the critical section
// at once.
func (ev *evidence) inside(Fact) (string, int) {
	most, at := 0, ev.last()
	ev.watched(func(m *history.Monitor, seq int) {
		n := 0
		for _, c := range ev.h.Config.Clients {
			if m.Inside(c) {
				n++
			}
		}
		if n > most && seq >= ev.from {
			at = seq
		}
		most = max(most, n)
	})
	return strconv.Itoa(most), at
}

// votes decides how many nodes a client won in an acquisition. It is decided by
// the last node's answer or timeout; the client can release votes after that.
func (ev *evidence) votes(f Fact) (string, int) {
	most, at, over := 0, ev.last(), false
	asks := "" // the command that asks for a vote: its first
	ev.watched(func(m *history.Monitor, seq int) {
		if over || seq < ev.from {
			return
		}
		n := 0
		for i := range ev.h.Nodes {
			if m.Owner(nodeNames[i]) == f.client {
				n++
			}
		}
		most = max(most, n)
		e := ev.h.Events[seq]
		switch {
		case e.Client != f.client:
		case e.Op == history.OpAcquire:
			over = e.Kind != history.Invoke
		case len(e.Cmds) > 0:
			if asks == "" {
				asks = e.Cmds[0][0]
			}
			if e.Cmds[0][0] == asks {
				at = seq
			}
		}
	})
	if !over {
		return "", 0
	}
	return strconv.Itoa(most), at
}

// write decides the outcome of a client's first write to the resource.
func (ev *evidence) write(f Fact) (string, int) {
	for _, e := range ev.step() {
		if e.Client == f.client && e.Kind == history.Resource {
			switch e.Op {
			case history.WriteOp:
				return accepted, e.Seq
			case history.Refuse:
				return history.Refused, e.Seq
			}
		}
	}
	return "", 0
}

// writes counts the writes that the resource has accepted by the end of the
// step.
func (ev *evidence) writes(Fact) (string, int) {
	n, at := 0, ev.last()
	for _, e := range ev.h.Events[:ev.to] {
		if e.Kind == history.Resource && e.Op == history.WriteOp {
			n++
			if e.Seq >= ev.from {
				at = e.Seq
			}
		}
	}
	return strconv.Itoa(n), at
}

// ttl decides the TTL of the lock's key after the step: a time, none, or gone if
// there is no key.
func (ev *evidence) ttl(Fact) (string, int) {
	var key *history.KeyState
	at := ev.last()
	for _, e := range ev.h.Events[:ev.to] {
		if e.Kind == history.Clock && e.Seq >= ev.from && key != nil && key.Deadline > 0 {
			at = e.Seq // less is left now
		}
		for _, ch := range e.Changes {
			if ch.Key == ev.h.Config.Key() {
				if key = ch.After; e.Seq >= ev.from {
					at = e.Seq
				}
			}
		}
	}
	switch {
	case key == nil:
		return gone, at
	case key.Deadline == 0:
		return none, at
	}
	return (key.Deadline - ev.now()).String(), at
}

// elapsed decides how much time passes in the step.
func (ev *evidence) elapsed(Fact) (string, int) {
	var sum history.Millis
	for _, e := range ev.step() {
		if e.Kind == history.Clock {
			sum += e.By
		}
	}
	return sum.String(), ev.last()
}

func (ev *evidence) now() history.Millis {
	if ev.to == 0 {
		return 0
	}
	return ev.h.Events[ev.to-1].At
}

// violated decides the first invariant that the step violates.
func (ev *evidence) violated(Fact) (string, int) {
	for _, v := range ev.found {
		if ev.from <= v.Seq && v.Seq < ev.to && v.Invariant != history.LockRecovers {
			return v.Invariant, v.Seq
		}
	}
	return nothing, ev.last()
}

// recovers is decided only by a check.
func (ev *evidence) recovers(Fact) (string, int) {
	switch {
	case !ev.checked || ev.open:
		return "", 0
	case slices.ContainsFunc(ev.found, func(v history.Violation) bool { return v.Invariant == history.LockRecovers }):
		return "no", ev.last()
	}
	return "yes", ev.last()
}

func always(answers ...string) func(history.Config, int) []string {
	return func(history.Config, int) []string { return answers }
}

func whose(c history.Config, _ int) []string { return append(slices.Clone(c.Clients), nobody) }

func upToClients(c history.Config, _ int) []string { return upTo(len(c.Clients)) }

func upToNodes(_ history.Config, nodes int) []string { return upTo(nodes) }

func upTo(n int) []string {
	var out []string
	for i := 0; i <= n; i++ {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// offers returns the possible answers in a world; nil if there are infinitely
// many, or more than keys to choose them with.
func (f Fact) offers(c history.Config) []string {
	of := facts[f.kind].offers
	subject, err := SubjectOf(c.Strategy)
	if of == nil || err != nil {
		return nil
	}
	if out := of(c, subject.In(c).Nodes); len(out) <= maxChoices {
		return out
	}
	return nil
}

// decide returns a step's predictions with the run's answers. A prediction that
// the run does not decide has none.
func (r *runner) decide(s *Step, from, to int) ([]Prediction, error) {
	out := slices.Clone(s.Predict)
	h := r.w.History()
	ev := &evidence{h, from, to, r.found, s.name == "check", !r.undecided.None()}
	for i := range out {
		if err := r.work(to); err != nil { // some facts depend on the whole run
			return nil, err
		}
		p := &out[i]
		p.Answer, p.At = facts[p.Fact.kind].decide(ev, p.Fact)
	}
	return out, nil
}
