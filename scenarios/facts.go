package scenarios

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Fact is what a prediction asks for. The run decides it, in the step that follows
// the question.
type Fact struct {
	kind   string
	client string // whom it concerns; "" for nobody
	cmd    string // reply: to this command
	key    string // holds: the setting, which no event of the run tells
}

// OfSettings reports whether the answers are settings, each of a world that is played too.
func (f Fact) OfSettings() bool { return f.kind == "holds" }

func (f Fact) String() string {
	return strings.Join(strings.Fields(f.kind+" "+f.client+" "+f.cmd), " ")
}

type factKind struct {
	client, cmd bool // the arguments
	// offers lists the answers to choose from if the story names none; nil if the
	// story has to name them.
	offers func(c history.Config, nodes int) []string
	decide func(*evidence, Fact) (answer string, seq int)
}

// facts lists everything that a prediction may ask for.
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
	"removed": {client: true, offers: anyClient, decide: (*evidence).removed},
	// Example: holder = nobody
	"holder": {offers: anyClient, decide: (*evidence).holder},
	// Example: inside = 2
	"inside": {offers: upToClients, decide: (*evidence).inside},
	// Example: within = A+B
	"within": {decide: (*evidence).within},
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
	// Example: holds = ttl=1m
	"holds": {decide: (*evidence).holds},
	// Example: woken = 7
	"woken": {offers: upToClients, decide: (*evidence).woken},
	// Example: recovers = no
	"recovers": {offers: always("yes", "no"), decide: (*evidence).recovers},
}

// Answers that are not values of a history.
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

// parseFact parses a fact, such as: reply B SETNX.
func parseFact(words []string, clients []string) (Fact, error) {
	if len(words) == 0 {
		return Fact{}, lang.Errorf("no fact that the run could decide; use one of %s", lang.Names(factNames()))
	}
	f := Fact{kind: words[0]}
	kind, ok := facts[f.kind]
	if !ok {
		return f, lang.Errorf("%q is not a fact; %s", f.kind, lang.Fit(f.kind, factNames()))
	}
	rest := words[1:]
	if kind.client {
		if len(rest) == 0 || !slices.Contains(clients, rest[0]) {
			return f, lang.Errorf("%s wants a client of this world; use %s", f.kind, lang.Names(clients))
		}
		f.client, rest = rest[0], rest[1:]
	}
	if kind.cmd {
		if len(rest) == 0 || !isCommand(rest[0]) {
			return f, lang.Errorf("%s %s wants a Redis command in capitals, such as SET, or a request to ZooKeeper, such as create", f.kind, f.client)
		}
		f.cmd, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return f, lang.Errorf("%q is too much for %s", rest[0], f)
	}
	return f, nil
}

func always(answers ...string) func(history.Config, int) []string {
	return func(history.Config, int) []string { return answers }
}

func anyClient(c history.Config, _ int) []string { return append(slices.Clone(c.Clients), nobody) }

func upToClients(c history.Config, _ int) []string { return upTo(len(c.Clients)) }

func upToNodes(_ history.Config, nodes int) []string { return upTo(nodes) }

func upTo(n int) []string {
	var out []string
	for i := range n + 1 {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

// offers lists the possible answers in a world; nil if they are unbounded or too many
// for the keys.
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

// decide returns the predictions of a step with the answers of the run; "" where it
// decides none.
func (r *runner) decide(s *Step, from, to int) ([]Prediction, error) {
	out := slices.Clone(s.Predict)
	h := r.w.History()
	ev := &evidence{h, from, to, r.Violations, !r.Undecided.None()}
	for i := range out {
		if err := r.work(to); err != nil { // some facts replay the whole run
			return nil, err
		}
		p := &out[i]
		p.Answer, p.At = facts[p.Fact.kind].decide(ev, p.Fact)
	}
	return out, nil
}
