package scenarios

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// nodeNames are all nodes that a world may have. Whether this one has them
// shows when the story runs: it may be played against another lock.
var nodeNames = func() []string {
	names := make([]string, history.MaxNodes)
	for i := range names {
		names[i] = sim.NodeName(i)
	}
	return names
}()

// actAll performs several actions, one after the other. Another lock than the
// story's own may have fewer nodes: what befalls the others is left out.
func (r *runner) actAll(s *Step) error {
	var missed error // the first of them
	done := 0
	for _, a := range s.all {
		err := r.perform(a)
		if err != nil && !(r.lenient && errors.Is(err, world.ErrNotEnabled)) {
			return err
		}
		if err == nil {
			done++
		} else if missed == nil {
			missed = err
		}
	}
	if done > 0 {
		return nil
	}
	return missed
}

// names takes a list such as A,B of which every part must be one of some.
func (a *arguments) names(what string, of []string) ([]string, error) {
	w, err := a.next(what)
	if err != nil {
		return nil, err
	}
	list := strings.Split(w.text, ",")
	for i, name := range list {
		if !slices.Contains(of, name) {
			return nil, a.fail(w, "%q is not %s; %s would fit", name, what, strings.Join(of, ", "))
		}
		if slices.Contains(list[:i], name) {
			return nil, a.fail(w, "%s is said twice", name)
		}
	}
	return list, nil
}

// parseNode parses a command that happens to one node or several.
func parseNode(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		c := command{name: string(v), do: (*runner).actAll}
		nodes, err := a.names("a node", nodeNames)
		c.each(nodes, history.Action{Verb: v})
		return c, err
	}
}

// each adds an action for each of some nodes.
func (c *command) each(nodes []string, act history.Action) {
	for _, act.Node = range nodes {
		c.all = append(c.all, act)
	}
}

// parseLink parses what happens between clients and nodes: each with each.
func parseLink(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		c := command{name: string(v), do: (*runner).actAll}
		clients, err := a.names("a client of this world", a.world.Clients)
		if err != nil {
			return c, err
		}
		nodes, err := a.names("a node", nodeNames)
		for _, client := range clients {
			c.each(nodes, history.Action{Verb: v, Client: client})
		}
		return c, err
	}
}

func parsePromote(a *arguments) (command, error) {
	c := command{name: "promote", do: (*runner).actAll}
	nodes, err := a.names("a node", nodeNames)
	if err != nil {
		return c, err
	}
	w, err := a.next("missing=WRITES")
	if err != nil {
		return c, err
	}
	text, ok := strings.CutPrefix(w.text, "missing=")
	n, err := strconv.Atoi(text)
	switch {
	case !ok || err != nil || n < 1 || n > history.MaxLag:
		return c, a.fail(w, "%q does not belong to promote; missing=1 to missing=%d would fit", w.text, history.MaxLag)
	case n > a.world.Lag:
		return c, a.fail(w, "a replica that has missed %d writes needs lag=%d in the world line", n, n)
	}
	c.each(nodes, history.Action{Verb: history.Promote, By: history.Millis(n)})
	return c, nil
}

// isNodeList says whether a list of names begins with a node's.
func isNodeList(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	return slices.Contains(nodeNames, first)
}

// nodeCommand writes an action that concerns a node as a story does.
func nodeCommand(a history.Action) string {
	switch a.Verb {
	case history.Cut, history.Heal:
		return string(a.Verb) + " " + a.Client + " " + a.Node
	case history.Promote:
		return "promote " + a.Node + " missing=" + strconv.Itoa(int(a.By))
	}
	return string(a.Verb) + " " + a.Node
}
