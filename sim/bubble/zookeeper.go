package bubble

import (
	"net"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/zookeeper"
	"lockstep/strategies"
)

// Subject returns a lock of the catalogue. One on ZooKeeper runs in a bubble, as its
// client has goroutines and timers of its own, and knows three addresses.
func Subject(info strategies.Info) program.Subject {
	subject := program.Subject{New: info.New, Nodes: info.Nodes, Polls: info.Polls}
	if info.ZooKeeper {
		subject.Server, subject.Key, subject.Addresses, subject.Start = sim.ZooKeeper, "/lock", 3, Start
		subject.Timeless = true // see TestZooKeeperLocksStartNoTimer of package strategies
	}
	return subject
}

// connectZooKeeper starts the library's client, whose session lasts for a time
// after nothing is heard from it.
func (r *run) connectZooKeeper(session time.Duration) (*zk.Conn, <-chan zk.Event) {
	provider := &addresses{n: max(1, r.b.subject.Addresses), at: -1, last: -1, rest: r.awaitRest, waits: func() { r.timing(1) }}
	dial := func(string, string, time.Duration) (net.Conn, error) {
		if provider.waiting {
			provider.waiting = false
			r.timing(-1)
		}
		return r.connect(0), nil
	}
	most := r.mostFrame()
	return newClient(session, zk.WithDialer(dial), zk.WithHostProvider(provider), zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithMaxBufferSize(most), zk.WithMaxConnBufferSize(most))
}

// mostFrame is the length of a client's two buffers, and so of a request and a reply. Those
// of the catalogue's locks, which alone are timeless, are short, and thousands of their
// clients wait at once.
func (r *run) mostFrame() int {
	if r.b.subject.Timeless {
		return 4 << 10
	}
	return 16 << 10
}

// addresses is a zk.HostProvider like the library's own, but for its look-up of
// names and its shuffle: the addresses are tried one after the other. When all have
// been since the last connection, which with one address is at once, the client fails
// what it has not sent, and waits a second. All of them lead to the one node.
type addresses struct {
	n, at, last int
	rest        func() // waits until all other goroutines of the client are at rest
	waits       func() // is called when the client is about to wait for a second, before it dials
	waiting     bool   // it has been called since the client has dialled
}

func (*addresses) Init([]string) error { return nil }
func (a *addresses) Len() int          { return a.n }
func (a *addresses) Connected()        { a.last = a.at }

// Next lets those go on first whose requests have just failed: whether the library
// gives up what they ask next, or keeps it until it is connected, would depend on
// which goroutine is faster.
func (a *addresses) Next() (server string, again bool) {
	a.rest()
	a.at = (a.at + 1) % a.n
	again = a.at == a.last
	a.last = max(a.last, 0)
	if again {
		a.waiting = true
		a.waits()
	}
	return history.NodeName(a.at), again
}

// silent is a zk.Logger.
type silent struct{}

func (silent) Printf(string, ...any) {}

// asked reports whether a line of the lock's code that is not known asked for a
// request. None asks for a connection.
func asked(units []sim.Unit, source string) bool {
	return source == "" && units[0].Cmds[0][0] != zookeeper.Connect.String()
}

// locate finds the lines of the lock's code that asked for what a goroutine of a
// library sends. It stops all goroutines, so it is only called at rest, once for
// all that happened since.
func (r *run) locate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	source := ""
	for _, op := range r.slots {
		if op == nil || len(op.units) == 0 || op.located || !asked(op.units, op.units[0].Source) {
			continue
		}
		if source == "" {
			source = r.programSource()
		}
		op.located = true
		for i := range op.units {
			op.units[i].Source = source
		}
	}
}

// programSource returns the line of the lock's code in which the program waits,
// for a request that a goroutine of a library sends on its behalf; "" if it is
// in none.
func (r *run) programSource() string {
	for _, stack := range r.goroutines() {
		if strings.Contains(stack, "bubble.(*run).program(") {
			_, place := program.Whereabouts(stack)
			return place
		}
	}
	return ""
}

// gate returns what admit closes.
func (r *run) gate() chan struct{} {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gates = append(r.gates, gate)
	return gate
}

// awaitRest returns when all other goroutines of the bubble are at rest.
func (r *run) awaitRest() { <-r.gate() }

// admit lets one goroutine go on that has waited for the others' rest. It reports
// whether there was one.
func (r *run) admit() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.gates) == 0 {
		return false
	}
	close(r.gates[0])
	r.gates = r.gates[1:]
	return true
}
