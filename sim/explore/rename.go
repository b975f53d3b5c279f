package explore

import (
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

func (s *symmetry) nodeStateImage(perm int, n sim.NodeState) sim.NodeState {
	n.Keys, n.Watches = slices.Clone(n.Keys), slices.Clone(n.Watches)
	for i := range n.Keys {
		k := &n.Keys[i]
		k.Raw, k.State.Value = s.rename(perm, k.Raw), s.rename(perm, k.State.Value)
		k.Fields = slices.Clone(k.Fields)
		for j := range k.Fields {
			k.Fields[j] = s.rename(perm, k.Fields[j])
		}
		sortPairs(k.Fields)
	}
	for i := range n.Watches {
		w := &n.Watches[i]
		for who, name := range s.config.Clients {
			if rest, ok := cutName(w.Conn, name); ok {
				w.Conn = s.config.Clients[s.perms[perm][who]] + rest
				break
			}
		}
	}
	n.Behind = slices.Clone(n.Behind)
	for i := range n.Behind {
		n.Behind[i] = s.nodeStateImage(perm, n.Behind[i])
	}
	return n.Sorted()
}

// sortPairs sorts fields, each followed by its value.
func sortPairs(list []string) {
	var pairs [][2]string
	for i := 0; i < len(list); i += 2 {
		pairs = append(pairs, [2]string{list[i], list[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	for i, p := range pairs {
		list[2*i], list[2*i+1] = p[0], p[1]
	}
}

// cutName cuts a client's name off the name of its connection.
func cutName(conn, name string) (rest string, ok bool) {
	if len(conn) > len(name) && conn[:len(name)] == name && conn[len(name)] == '/' {
		return conn[len(name):], true
	}
	return "", false
}

func (s *symmetry) renameUnits(perm int, units [][][]string) [][][]string {
	var out [][][]string
	for _, cmds := range units {
		var unit [][]string
		for _, cmd := range cmds {
			var words []string
			for _, word := range cmd {
				words = append(words, s.rename(perm, word))
			}
			unit = append(unit, words)
		}
		out = append(out, unit)
	}
	return out
}

// rename exchanges the clients' names in the tokens of a text. A token is a
// name, a dash and a number, as the world draws them.
func (s *symmetry) rename(perm int, text string) string {
	names := s.config.Clients
	size := len(names[0])
	var out []byte
	for i := 0; i+size+1 < len(text); i++ {
		if text[i+size] != '-' || !isDigit(text[i+size+1]) || i > 0 && isNamePart(text[i-1]) {
			continue
		}
		who := slices.Index(names, text[i:i+size])
		if who < 0 {
			continue
		}
		if out == nil {
			out = []byte(text)
		}
		copy(out[i:], names[s.perms[perm][who]])
	}
	if out == nil {
		return text
	}
	return string(out)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNamePart(c byte) bool {
	return isDigit(c) || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// renameAction returns what an action becomes when the clients are renamed.
func renameAction(a history.Action, names []string, perm []int) history.Action {
	if who := slices.Index(names, a.Client); who >= 0 {
		a.Client = names[perm[who]]
	}
	return a
}
