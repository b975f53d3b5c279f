package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/sim/history"
	"lockstep/strategies"
)

// A command is one parsed command line. do is what it does in a run; which
// other fields are set depends on it.
type command struct {
	name   string
	do     func(*runner, *Step) error
	world  history.Config
	client string
	strand int
	until  moment
	length history.Millis // run for=, advance
	target string         // advance: "", expiry or next
	verb   history.Verb
	only   []string         // check: these invariants; all if empty
	all    []history.Action // what happens to nodes, in order
}

// commands is the language of stories. Each entry parses its own arguments.
var commands map[string]func(*arguments) (command, error)

func init() { // commandNames, which parsing needs, reads the map
	commands = map[string]func(*arguments) (command, error){
		// Example: world strategy=setnx-expire clients=A,B ttl=5s
		"world": parseWorld,
		// Example: run A until=before:EXPIRE
		// Example: run A for=10s
		"run": parseRun,
		// Example: step A/1
		"step": parseVerb(history.Step, (*runner).act),
		// Example: send A
		"send": parseVerb(history.Send, (*runner).act),
		// Example: apply A
		"apply": parseVerb(history.Arrive, (*runner).act),
		// Example: lose reply A
		"lose": parseLose,
		// Example: late A
		"late": parseVerb(history.Late, (*runner).act),
		// Example: crash A
		"crash": parseVerb(history.Crash, (*runner).act),
		// Example: hang A
		"hang": parseVerb(history.Hang, (*runner).act),
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
			return command{name: "flush", verb: history.Flush, do: (*runner).act}, nil
		},
		// Example: advance 24h
		// Example: advance expiry
		// Example: advance next
		"advance": parseAdvance,
		// Example: keys
		"keys": func(*arguments) (command, error) { return command{name: "keys", do: (*runner).keys}, nil },
		// Example: check
		// Example: check mutual-exclusion
		"check": parseCheck,
		// Example: replay strategy=set-lua
		"replay": parseReplay,
	}
}

func commandNames() string {
	return strings.Join(slices.Sorted(maps.Keys(commands)), ", ")
}

func parseWorld(a *arguments) (command, error) {
	c := command{name: "world", world: history.Default(), do: (*runner).world}
	said := map[string]bool{}
	for _, w := range a.words {
		name, value, ok := strings.Cut(w.text, "=")
		if !ok {
			return c, a.fail(w, "%q is not of the form name=value, such as ttl=5s", w.text)
		}
		if said[name] {
			return c, a.fail(w, "%s is said twice", name)
		}
		said[name] = true
		if err := c.world.Set(name, value); err != nil {
			return c, a.fail(w, "%v", err)
		}
		if name == "strategy" {
			if err := knownLock(value); err != nil {
				return c, a.fail(w, "%v", err)
			}
		}
	}
	if c.world.Strategy == "" {
		return c, a.parser.fail(a.line, a.end, "strategy= is missing; %s would fit", lockIDs())
	}
	a.words = nil
	return c, nil
}

func knownLock(id string) error {
	if _, ok := strategies.Find(id); !ok {
		return fmt.Errorf("%q is no lock; %s would fit", id, lockIDs())
	}
	return nil
}

func lockIDs() string {
	ids := make([]string, len(strategies.Catalogue))
	for i, info := range strategies.Catalogue {
		ids[i] = info.ID
	}
	return strings.Join(ids, ", ")
}

func parseRun(a *arguments) (command, error) {
	c := command{name: "run", until: moment{kind: done}, do: (*runner).run}
	if err := a.who(&c); err != nil {
		return c, err
	}
	if len(a.words) > 1 {
		return c, a.fail(a.words[1], "%q is too many: a run has one end, until= or for=", a.words[1].text)
	}
	for _, w := range a.words {
		name, value, _ := strings.Cut(w.text, "=")
		var err error
		switch name {
		case "until":
			if c.until, err = parseMoment(value); err != nil {
				return c, a.fail(w, "%v", err)
			}
		case "for":
			if c.length, err = a.millis(w, value); err != nil {
				return c, err
			}
			if c.length <= 0 {
				return c, a.fail(w, "%q is no length of time; such as for=10s would fit", value)
			}
		default:
			return c, a.fail(w, "%q does not belong to run; until=MOMENT or for=DURATION would fit", w.text)
		}
	}
	a.words = nil
	return c, nil
}

// parseVerb parses a command that is one action of one client.
func parseVerb(v history.Verb, do func(*runner, *Step) error) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		c := command{name: string(v), verb: v, do: do}
		err := a.who(&c)
		return c, err
	}
}

func parseLose(a *arguments) (command, error) {
	w, err := a.next("request or reply")
	if err != nil {
		return command{}, err
	}
	switch w.text {
	case "request":
		return parseVerb(history.LoseRequest, (*runner).act)(a)
	case "reply":
		return parseVerb(history.LoseReply, (*runner).act)(a)
	}
	return command{}, a.fail(w, "%q cannot be lost; request or reply would fit", w.text)
}

// parseClock parses a fault of the clock of a client, or of nodes.
func parseClock(a *arguments) (command, error) {
	c := command{name: "clock", do: (*runner).act}
	var nodes []string
	var err error
	if len(a.words) > 0 && isNodeList(a.words[0].text) {
		c.do = (*runner).actAll
		nodes, err = a.names("a node", nodeNames)
	} else {
		err = a.who(&c)
	}
	if err != nil {
		return c, err
	}
	c.verb, c.length, err = a.turn()
	c.each(nodes, history.Action{Verb: c.verb, By: c.length})
	return c, err
}

func parseAdvance(a *arguments) (command, error) {
	c := command{name: "advance", do: (*runner).advance}
	w, err := a.next("a duration, expiry or next")
	if err != nil {
		return c, err
	}
	if w.text == "expiry" || w.text == "next" {
		c.target = w.text
		return c, nil
	}
	if c.length, err = a.millis(w, w.text); err == nil && c.length <= 0 {
		err = a.fail(w, "time only moves forward")
	}
	return c, err
}

func parseCheck(a *arguments) (command, error) {
	c := command{name: "check", do: (*runner).check}
	for _, w := range a.words {
		if !slices.Contains(history.Invariants, w.text) {
			return c, a.fail(w, "%q is no invariant; %s would fit", w.text, strings.Join(history.Invariants, ", "))
		}
		c.only = append(c.only, w.text)
	}
	a.words = nil
	return c, nil
}

func parseReplay(a *arguments) (command, error) {
	c := command{name: "replay", world: a.world, do: (*runner).replay}
	w, err := a.next("strategy=LOCK")
	if err != nil {
		return c, err
	}
	id, ok := strings.CutPrefix(w.text, "strategy=")
	if !ok {
		return c, a.fail(w, "%q does not belong to replay; strategy=LOCK would fit", w.text)
	}
	if err := knownLock(id); err != nil {
		return c, a.fail(w, "%v", err)
	}
	c.world.Strategy = id
	return c, nil
}
