package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// commands is the language of stories. Each entry parses its own arguments.
var commands = map[string]func(*arguments) command{
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
	// Example: cancel A
	"cancel": parseVerb(history.Cancel),
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
	"flush": func(*arguments) command { return actionCommand(history.Action{Verb: history.Flush}) },
	// Example: advance 24h
	// Example: advance expiry
	// Example: advance next
	"advance": parseAdvance,
	// Example: keys
	"keys": func(*arguments) command { return command{name: "keys"} },
	// Example: check
	// Example: check mutual-exclusion
	"check": parseCheck,
	// Example: replay strategy=set-lua
	"replay": parseReplay,
}

func parseWorld(a *arguments) command {
	c := command{name: "world", world: history.Default()}
	said := map[string]bool{}
	for _, w := range a.rest() {
		name, value, ok := strings.Cut(w.text, "=")
		if !ok {
			a.wrong(w, "%q is not of the form name=value, such as ttl=5s", w.text)
		}
		if said[name] {
			a.wrong(w, "%s is said twice", name)
		}
		said[name] = true
		a.must(w, c.world.Set(name, value))
		if name == "strategy" && value != Mine {
			a.must(w, knownLock(value))
		}
	}
	if c.world.Strategy == "" {
		a.parser.fail(a.line, a.end, "strategy= is missing; use for example strategy=%s", "set-lua")
	}
	return c
}

func knownLock(id string) error {
	_, err := SubjectOf(id)
	return err
}

func knownInvariant(id string) error {
	if slices.Contains(history.Invariants(), id) {
		return nil
	}
	return lang.Errorf("%q is not an invariant; %s", id, lang.Fit(id, history.Invariants()))
}

func parseRun(a *arguments) command {
	c := command{name: "run", until: moment{kind: done}}
	c.client, c.strand = a.who()
	words := a.rest()
	if len(words) > 1 {
		a.wrong(words[1], "%q is too many: a run has one end, until= or for=", words[1].text)
	}
	for _, w := range words {
		name, value, _ := strings.Cut(w.text, "=")
		switch name {
		case "until":
			var err error
			c.until, err = parseMoment(value)
			a.must(w, err)
		case "for":
			if c.length = a.millis(w, value); c.length <= 0 {
				a.wrong(w, "%q is not a length of time; use for example for=10s", value)
			}
		default:
			a.wrong(w, "%q does not belong to run; use until=MOMENT or for=DURATION", w.text)
		}
	}
	return c
}

// parseVerb parses a command that is one action of a client.
func parseVerb(v history.Verb) func(*arguments) command {
	return func(a *arguments) command {
		client, strand := a.who()
		return actionCommand(history.Action{Verb: v, Client: client, Strand: strand})
	}
}

func parseLose(a *arguments) command {
	w := a.next(lang.New("request, reply or push"))
	lost, ok := map[string]history.Verb{"request": history.LoseRequest, "reply": history.LoseReply, "push": history.LosePush}[w.text]
	if !ok {
		a.wrong(w, "%q cannot be lost; use request, reply or push", w.text)
	}
	return parseVerb(lost)(a)
}

// parseClock parses a clock fault of a client, or of nodes.
func parseClock(a *arguments) command {
	var act history.Action
	nodes := []string{""}
	if len(a.words) > 0 && isNodeList(a.words[0].text) {
		nodes = a.nodes()
	} else {
		act.Client, act.Strand = a.who()
	}
	act.Verb, act.By = a.clockChange()
	return actionCommand(each(nodes, act)...)
}

func parseAdvance(a *arguments) command {
	w := a.next(lang.New("a duration, expiry or next"))
	switch w.text {
	case "expiry":
		return command{name: "advance"}
	case "next":
		return actionCommand(history.Action{Verb: history.Tick})
	}
	by := a.millis(w, w.text)
	if by <= 0 {
		a.wrong(w, "time only moves forward")
	}
	return actionCommand(history.Action{Verb: history.Advance, By: by})
}

func parseCheck(a *arguments) command {
	c := command{name: "check"}
	for _, w := range a.rest() {
		a.must(w, knownInvariant(w.text))
		c.only = append(c.only, w.text)
	}
	return c
}

func parseReplay(a *arguments) command {
	w := a.next(lang.New("strategy=LOCK"))
	id, ok := strings.CutPrefix(w.text, "strategy=")
	if !ok {
		a.wrong(w, "%q does not belong to replay; use strategy=LOCK", w.text)
	}
	a.must(w, knownLock(id))
	return command{name: "replay", against: id}
}

// parseNode parses a command that happens to nodes.
func parseNode(v history.Verb) func(*arguments) command {
	return func(a *arguments) command { return actionCommand(each(a.nodes(), history.Action{Verb: v})...) }
}

// parseLink parses a command about the links between clients and nodes: each with
// each.
func parseLink(v history.Verb) func(*arguments) command {
	return func(a *arguments) command {
		clients, nodes := a.names(lang.New("a client of this world"), a.world.Clients), a.nodes()
		var acts []history.Action
		for _, client := range clients {
			acts = append(acts, each(nodes, history.Action{Verb: v, Client: client})...)
		}
		return actionCommand(acts...)
	}
}

func parsePromote(a *arguments) command {
	nodes, w := a.nodes(), a.next(lang.New("missing=WRITES"))
	text, ok := strings.CutPrefix(w.text, "missing=")
	n, err := strconv.Atoi(text)
	switch {
	case !ok || err != nil || n < 1 || n > history.MaxLag:
		a.wrong(w, "%q does not belong to promote; use missing=1 to missing=%d", w.text, history.MaxLag)
	case n > a.world.Lag:
		a.wrong(w, "missing=%d needs lag=%d in the world line", n, n)
	}
	return actionCommand(each(nodes, history.Action{Verb: history.Promote, By: history.Millis(n)})...)
}
