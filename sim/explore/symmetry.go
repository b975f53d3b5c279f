package explore

import (
	"errors"
	"fmt"
	"slices"
)

// A symmetry makes one state of all that differ only in which client is which.
// All clients run the same code, so that renaming them, and the tokens that
// they draw, turns any run into another one: the verdict and the lengths of
// schedules stay as they are. That the code of a lock plays along is not
// believed: the trie of each client is compared with that of the others, node
// by node.
type symmetry struct {
	*parts
	perms [][]int // the first changes nothing
	// What parts become under a permutation, by permutation and number; -1 is
	// not known yet. A client's part becomes one of the client that it becomes.
	client [][][]int32
	env    [][]int32
	monit  [][]int32
}

// MaxSymmetric is the most clients for which Options.Symmetry tries all orders.
const MaxSymmetric = 4

// errAsymmetric says that clients do not behave alike.
var errAsymmetric = errors.New("the clients do not behave alike")

// newSymmetry returns nil where the clients cannot be exchanged: a name of
// another length changes the bytes of a reply.
func newSymmetry(p *parts) *symmetry {
	names := p.config.Clients
	if len(names) < 2 || len(names) > MaxSymmetric {
		return nil
	}
	for _, name := range names {
		if len(name) != len(names[0]) {
			return nil
		}
	}
	s := &symmetry{parts: p, perms: permutations(len(names))}
	s.client = make([][][]int32, len(s.perms))
	s.env, s.monit = make([][]int32, len(s.perms)), make([][]int32, len(s.perms))
	for i := range s.client {
		s.client[i] = make([][]int32, len(names))
	}
	return s
}

// permutations lists all orders of 0 to n-1, the natural one first.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := n - 1; at >= 0; at-- {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

// canonical puts the smallest of all tuples that a renaming makes of a tuple in
// its place and returns the permutation that does so; ok says whether
// everything that takes was known or could be learnt.
func (s *symmetry) canonical(tuple []int32, spends int32, learns bool) (perm int, ok bool, err error) {
	clients := len(tuple) - 2
	var best, next [MaxSymmetric + 2]int32
	copy(best[:], tuple)
	for p := 1; p < len(s.perms); p++ {
		if ok, err := s.image(p, tuple[:clients+1], next[:clients+1], learns); !ok || err != nil {
			return 0, false, err
		}
		monitor, spent := tuple[clients+1]/spends, tuple[clients+1]%spends
		image := s.monitorImage(p, monitor, learns)
		if image < 0 {
			return 0, false, nil
		}
		next[clients+1] = image*spends + spent
		if slices.Compare(next[:clients+2], best[:clients+2]) < 0 {
			best, perm = next, p
		}
	}
	copy(tuple, best[:])
	return perm, true, nil
}

// image puts what clients and the world around them become into another tuple.
// It says whether it could.
func (s *symmetry) image(perm int, of, into []int32, learns bool) (ok bool, err error) {
	for who, to := range s.perms[perm] {
		if into[to], err = s.clientImage(perm, who, of[who], learns); into[to] < 0 || err != nil {
			return false, err
		}
	}
	env := len(of) - 1
	into[env], err = s.envImage(perm, of[env], learns)
	return into[env] >= 0, err
}

// known returns an entry of a list that grows; -1 if there is none yet.
func known(list []int32, n int32) int32 {
	if int(n) < len(list) {
		return list[n]
	}
	return -1
}

func set(list *[]int32, n, value int32) {
	for int(n) >= len(*list) {
		*list = append(*list, -1)
	}
	(*list)[n] = value
}

// clientImage returns what a client's state becomes.
func (s *symmetry) clientImage(perm, who int, id int32, learns bool) (int32, error) {
	if image := known(s.client[perm][who], id); image >= 0 || !learns {
		return image, nil
	}
	to := s.perms[perm][who]
	c := *s.clients[who].list[id]
	c.threads = slices.Clone(c.threads)
	for i := range c.threads {
		c.threads[i].reply = s.rename(perm, c.threads[i].reply)
	}
	if !c.dead && !c.done {
		node, err := s.nodeImage(perm, who, c.node)
		if err != nil {
			return -1, err
		}
		c.node = s.learners[to].class(node)
	}
	image := s.parts.client(to, c)
	set(&s.client[perm][who], id, image)
	return image, nil
}

// nodeImage walks the trie of the client that another becomes, along what that
// one has observed.
func (s *symmetry) nodeImage(perm, who int, node int32) (int32, error) {
	from, to := s.learners[who], s.learners[s.perms[perm][who]]
	n := &from.nodes[node]
	if n.parent < 0 {
		return 0, nil
	}
	parent, err := s.nodeImage(perm, who, n.parent)
	if err != nil {
		return 0, err
	}
	saw := n.saw
	saw.Reply = []byte(s.rename(perm, string(saw.Reply)))
	image, err := to.after(parent, n.thread, saw)
	if err != nil {
		return 0, err
	}
	other := &to.nodes[image]
	if a, b := s.rename(perm, describe(n.threads, n.events)), describe(other.threads, other.events); a != b {
		return 0, fmt.Errorf("%w: %s does\n%s\nwhere %s does\n%s", errAsymmetric, from.name, a, to.name, b)
	}
	return image, nil
}

// envImage returns what the world around the clients becomes.
func (s *symmetry) envImage(perm int, id int32, learns bool) (int32, error) {
	if image := known(s.env[perm], id); image >= 0 || !learns {
		return image, nil
	}
	e := s.envs.list[id].clone()
	for i, n := range e.nodes {
		e.nodes[i] = s.node(s.nodeStateImage(perm, s.nodes.list[n]))
	}
	for i := range e.late {
		l := &e.late[i]
		l.client = s.perms[perm][l.client]
		l.what.Units = s.renameUnits(perm, l.what.Units)
	}
	slices.SortStableFunc(e.late, func(a, b lateRequest) int { return a.client - b.client })
	image := s.parts.env(e)
	set(&s.env[perm], id, image)
	return image, nil
}

// monitorImage returns what a monitor becomes.
func (s *symmetry) monitorImage(perm int, id int32, learns bool) int32 {
	if image := known(s.monit[perm], id); image >= 0 || !learns {
		return image
	}
	image := s.monitor(s.monitors.list[id].Renamed(s.perms[perm]))
	set(&s.monit[perm], id, image)
	return image
}
