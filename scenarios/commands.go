package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// commands is the language of stories. Each entry parses its own arguments.
var commands = map[string]func(*arguments) (command, error){
	// Example: world strategy=setnx-expire clients=A,B ttl=5s
	"world": parseWorld,
	// Example: run A until=before:EXPIRE
	// Example: run A for=10s
	"run": parseRun,
	// Example: step A/1
	"step": parseVerb(history.Step),
	// Example: send A
	"send": parseVerb(history.Send),
	// Example: apply A
	"apply": parseVerb(history.Arrive),
	// Example: lose reply A
	// Example: lose push A/1
	"lose": parseLose,
	// Example: late A
	"late": parseVerb(history.Late),
	// Example: crash A
	"crash": parseVerb(history.Crash),
	// Example: hang A
	"hang": parseVerb(history.Hang),
	// Example: pause A
	"pause": parseVerb(history.Pause),
	// Example: clock A +10s
	// Example: clock A rate=1.1
	// Example: clock r1 +10s
	// Example: clock r1,r2 rate=0.25
	"clock": parseClock,
	// Example: cut A,B r1,r2
	"cut": parseLink(history.Cut),
	// Example: heal A r1
	"heal": parseLink(history.Heal),
	// Example: restart r1
	"restart": parseNode(history.Restart),
	// Example: wipe r1
	"wipe": parseNode(history.Wipe),
	// Example: down r1,r2
	"down": parseNode(history.Down),
	// Example: up r1
	"up": parseNode(history.Up),
	// Example: slow r1
	"slow": parseNode(history.Slow),
	// Example: fast r1
	"fast": parseNode(history.Fast),
	// Example: evict r1
	"evict": parseNode(history.Evict),
	// Example: promote r1 missing=1
	"promote": parsePromote,
	// Example: flush
	"flush": func(*arguments) (command, error) {
		return actionCommand(history.Action{Verb: history.Flush}), nil
	},
	// Example: advance 24h
	// Example: advance expiry
	// Example: advance next
	"advance": parseAdvance,
	// Example: keys
	"keys": func(*arguments) (command, error) { return command{name: "keys"}, nil },
	// Example: check
	// Example: check mutual-exclusion
	"check": parseCheck,
	// Example: replay strategy=set-lua
	"replay": parseReplay,
}

func parseWorld(a *arguments) (command, error) {
	c := command{name: "world", world: history.Default()}
	said := map[string]bool{}
	for _, w := range a.words {
		name, value, ok := strings.Cut(w.text, "=")
		if !ok {
			return c, a.wrong(w, "%q is not of the form name=value, such as ttl=5s", w.text)
		}
		if said[name] {
			return c, a.wrong(w, "%s is said twice", name)
		}
		said[name] = true
		if err := c.world.Set(name, value); err != nil {
			return c, a.wrong(w, "%v", err)
		}
		if name == "strategy" {
			if err := knownLock(value); err != nil && value != Mine {
				return c, a.wrong(w, "%v", err)
			}
		}
	}
	if c.world.Strategy == "" {
		return c, a.parser.fail(a.line, a.end, "strategy= is missing; use for example strategy=%s", "set-lua")
	}
	a.words = nil
	return c, nil
}

func knownLock(id string) error {
	_, err := SubjectOf(id)
	return err
}

func lockIDs() []string {
	ids := make([]string, len(strategies.Catalogue()))
	for i, info := range strategies.Catalogue() {
		ids[i] = info.ID
	}
	return ids
}

func parseRun(a *arguments) (command, error) {
	c := command{name: "run", until: moment{kind: done}}
	var err error
	if c.client, c.strand, err = a.who(); err != nil {
		return c, err
	}
	if len(a.words) > 1 {
		return c, a.wrong(a.words[1], "%q is too many: a run has one end, until= or for=", a.words[1].text)
	}
	for _, w := range a.words {
		name, value, _ := strings.Cut(w.text, "=")
		switch name {
		case "until":
			if c.until, err = parseMoment(value); err != nil {
				return c, a.wrong(w, "%v", err)
			}
		case "for":
			if c.length, err = a.millis(w, value); err != nil {
				return c, err
			}
			if c.length <= 0 {
				return c, a.wrong(w, "%q is not a length of time; use for example for=10s", value)
			}
		default:
			return c, a.wrong(w, "%q does not belong to run; use until=MOMENT or for=DURATION", w.text)
		}
	}
	a.words = nil
	return c, nil
}

// parseVerb parses a command that is one action of a client.
func parseVerb(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		client, strand, err := a.who()
		return actionCommand(history.Action{Verb: v, Client: client, Strand: strand}), err
	}
}

func parseLose(a *arguments) (command, error) {
	w, err := a.next(lang.New("request, reply or push"))
	if err != nil {
		return command{}, err
	}
	switch w.text {
	case "request":
		return parseVerb(history.LoseRequest)(a)
	case "reply":
		return parseVerb(history.LoseReply)(a)
	case "push":
		return parseVerb(history.LosePush)(a)
	}
	return command{}, a.wrong(w, "%q cannot be lost; use request, reply or push", w.text)
}

// parseClock parses a clock fault of a client, or of nodes.
func parseClock(a *arguments) (command, error) {
	var act history.Action
	var nodes []string
	var err error
	if len(a.words) > 0 && isNodeList(a.words[0].text) {
		nodes, err = a.names(lang.New("a node"), nodeNames)
	} else {
		act.Client, act.Strand, err = a.who()
	}
	if err != nil {
		return command{}, err
	}
	if act.Verb, act.By, err = a.clockChange(); nodes != nil {
		return actionCommand(each(nodes, act)...), err
	}
	return actionCommand(act), err
}

func parseAdvance(a *arguments) (command, error) {
	w, err := a.next(lang.New("a duration, expiry or next"))
	if err != nil {
		return command{}, err
	}
	switch w.text {
	case "expiry":
		return command{name: "advance"}, nil
	case "next":
		return actionCommand(history.Action{Verb: history.Tick}), nil
	}
	by, err := a.millis(w, w.text)
	if err == nil && by <= 0 {
		err = a.wrong(w, "time only moves forward")
	}
	return actionCommand(history.Action{Verb: history.Advance, By: by}), err
}

func parseCheck(a *arguments) (command, error) {
	c := command{name: "check"}
	for _, w := range a.words {
		if !slices.Contains(history.Invariants(), w.text) {
			return c, a.wrong(w, "%q is not an invariant; %s", w.text, lang.Fit(w.text, history.Invariants()))
		}
		c.only = append(c.only, w.text)
	}
	a.words = nil
	return c, nil
}

func parseReplay(a *arguments) (command, error) {
	w, err := a.next(lang.New("strategy=LOCK"))
	if err != nil {
		return command{}, err
	}
	id, ok := strings.CutPrefix(w.text, "strategy=")
	if !ok {
		return command{}, a.wrong(w, "%q does not belong to replay; use strategy=LOCK", w.text)
	}
	if err := knownLock(id); err != nil {
		return command{}, a.wrong(w, "%v", err)
	}
	return command{name: "replay", against: id}, nil
}

// parseNode parses a command that happens to nodes.
func parseNode(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		nodes, err := a.names(lang.New("a node"), nodeNames)
		if err != nil {
			return command{}, err
		}
		return actionCommand(each(nodes, history.Action{Verb: v})...), nil
	}
}

// parseLink parses a command about the links between clients and nodes: each with
// each.
func parseLink(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		clients, err := a.names(lang.New("a client of this world"), a.world.Clients)
		if err != nil {
			return command{}, err
		}
		nodes, err := a.names(lang.New("a node"), nodeNames)
		if err != nil {
			return command{}, err
		}
		var acts []history.Action
		for _, client := range clients {
			acts = append(acts, each(nodes, history.Action{Verb: v, Client: client})...)
		}
		return actionCommand(acts...), nil
	}
}

func parsePromote(a *arguments) (command, error) {
	nodes, err := a.names(lang.New("a node"), nodeNames)
	if err != nil {
		return command{}, err
	}
	w, err := a.next(lang.New("missing=WRITES"))
	if err != nil {
		return command{}, err
	}
	text, ok := strings.CutPrefix(w.text, "missing=")
	n, err := strconv.Atoi(text)
	switch {
	case !ok || err != nil || n < 1 || n > history.MaxLag:
		return command{}, a.wrong(w, "%q does not belong to promote; use missing=1 to missing=%d", w.text, history.MaxLag)
	case n > a.world.Lag:
		return command{}, a.wrong(w, "a replica that has missed %d writes needs lag=%d in the world line", n, n)
	}
	return actionCommand(each(nodes, history.Action{Verb: history.Promote, By: history.Millis(n)})...), nil
}
