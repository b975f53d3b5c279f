package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// nodeNames are the nodes that any world can have. Whether this one has them
// shows only in the run, which can be with another lock.
var nodeNames = func() []string {
	names := make([]string, history.MaxNodes)
	for i := range names {
		names[i] = sim.NodeName(i)
	}
	return names
}()

// names takes a list such as A,B of known names.
func (a *arguments) names(what lang.Message, of []string) ([]string, error) {
	w, err := a.next(what)
	if err != nil {
		return nil, err
	}
	list := strings.Split(w.text, ",")
	for i, name := range list {
		if !slices.Contains(of, name) {
			return nil, a.wrong(w, "%q is not %v; use %s", name, what, lang.Fit(name, of))
		}
		if slices.Contains(list[:i], name) {
			return nil, a.wrong(w, "%s is said twice", name)
		}
	}
	return list, nil
}

// parseNode parses a fault of one node or several.
func parseNode(v history.Verb) func(*arguments) (command, error) {
	return func(a *arguments) (command, error) {
		nodes, err := a.names(lang.New("a node"), nodeNames)
		if err != nil {
			return command{}, err
		}
		return acting(each(nodes, history.Action{Verb: v})...), nil
	}
}

// parseLink parses a fault of the links between clients and nodes.
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
		return acting(acts...), nil
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
	return acting(each(nodes, history.Action{Verb: history.Promote, By: history.Millis(n)})...), nil
}

// isNodeList reports whether a list of names begins with a node.
func isNodeList(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	return slices.Contains(nodeNames, first)
}
