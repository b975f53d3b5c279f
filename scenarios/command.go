package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/history"
)

// A command is one parsed command line. commands.go parses it, String writes it, and
// runner.do executes it.
type command struct {
	name    string           // the first word
	acts    []history.Action // the actions to perform, in order; nil for the commands below
	world   history.Config   // world
	client  string           // run: the client
	strand  int              // run
	until   moment           // run
	length  history.Millis   // run for=
	only    []string         // check: these invariants; all if empty
	against string           // replay: against this lock
}

// actionCommand returns the command for one action, or for several that differ only in their
// targets.
func actionCommand(acts ...history.Action) command {
	name := string(acts[0].Verb)
	switch acts[0].Verb {
	case history.LoseRequest, history.LoseReply, history.LosePush:
		name = "lose"
	case history.Jump, history.Rate:
		name = "clock"
	case history.Advance, history.Tick:
		name = "advance"
	}
	return command{name: name, acts: acts}
}

// each returns the action once for each node.
func each(nodes []string, act history.Action) []history.Action {
	acts := make([]history.Action, len(nodes))
	for i, node := range nodes {
		acts[i] = act
		acts[i].Node = node
	}
	return acts
}

// actor returns the strand whose step the command is; "" if it is not one client's.
func (c *command) actor() (client string, strand int) {
	if len(c.acts) == 1 && c.acts[0].Node == "" {
		return c.acts[0].Client, c.acts[0].Strand
	}
	return c.client, c.strand
}

// targets lists the targets of the actions, each once: clients, nodes, or, for
// links, the clients and then the nodes.
func (c *command) targets() [][]string {
	var clients, nodes []string
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, a := range c.acts {
		if a.Client != "" {
			add(&clients, history.StrandName(a.Client, a.Strand))
		}
		add(&nodes, a.Node)
	}
	return slices.DeleteFunc([][]string{clients, nodes}, func(list []string) bool { return len(list) == 0 })
}

// String writes the command as it appears in a story.
func (c command) String() string {
	words := []string{c.name}
	add := func(word string, args ...any) { words = append(words, fmt.Sprintf(word, args...)) }
	switch {
	case c.name == "world":
		add("%s", c.world)
	case c.name == "run":
		add("%s", history.StrandName(c.client, c.strand))
		if c.length > 0 {
			add("for=%v", c.length)
		} else if c.until.kind != done {
			add("until=%s", c.until)
		}
	case c.name == "check":
		words = append(words, c.only...)
	case c.against != "":
		add("strategy=%s", c.against)
	case c.expiry():
		add("expiry")
	case len(c.acts) > 0:
		add("%s", c.which())
		for _, list := range c.targets() {
			add("%s", strings.Join(list, ","))
		}
		add("%s", c.how())
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// expiry reports whether the command is "advance expiry", whose length only the run
// knows.
func (c *command) expiry() bool { return c.name == "advance" && len(c.acts) == 0 }

// special reports whether the command does more than let a client run.
func (c *command) special() bool {
	return len(c.acts) > 0 || c.expiry() || c.until.kind == before || c.until.kind == after
}

// which is the word that tells apart two verbs of one command.
func (c *command) which() string {
	switch c.acts[0].Verb {
	case history.LoseRequest:
		return "request"
	case history.LoseReply:
		return "reply"
	case history.LosePush:
		return "push"
	case history.Tick:
		return "next"
	}
	return ""
}

// how is the argument after the targets.
func (c *command) how() string {
	a := c.acts[0]
	switch a.Verb {
	case history.Advance:
		return a.By.String()
	case history.Rate:
		return "rate=" + strconv.FormatFloat(float64(a.By)/1000, 'f', -1, 64)
	case history.Promote:
		return fmt.Sprintf("missing=%d", a.By)
	case history.Jump:
		if a.By > 0 {
			return "+" + a.By.String()
		}
		return a.By.String()
	}
	return ""
}
