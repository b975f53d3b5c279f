package bubble

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/sim/history"
	"lockstep/sim/program"
)

// connectZooKeeper starts the library's client, whose session lasts for a time
// after nothing is heard from it.
func (r *run) connectZooKeeper(session time.Duration) *zk.Conn {
	seed() // for the random part of a protected node's name
	var provider zk.HostProvider = &oneServer{}
	pause := func() {}
	if n := r.b.subject.Addresses; n > 0 {
		a := &addresses{n: n, at: -1, last: -1}
		provider, pause = a, a.pause
	}
	dial := func(string, string, time.Duration) (net.Conn, error) {
		pause()
		return r.connect(0), nil
	}
	c, _, err := zk.Connect([]string{history.NodeName(0)}, session, zk.WithDialer(dial), zk.WithHostProvider(provider), zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithMaxBufferSize(maxFrame), zk.WithMaxConnBufferSize(maxFrame))
	if err != nil { // it has an address
		panic(err)
	}
	return c
}

// closeZooKeeper ends the session, unless that has begun: a second caller of
// Close would wait for a mutex, which is no rest.
func (r *run) closeZooKeeper() {
	if r.zk != nil && !r.closing.Swap(true) {
		r.zk.Close()
	}
}

// maxFrame is the length of a client's buffers: each connection has two, and a
// lock's requests are short.
const maxFrame = 16 << 10

// oneServer is a zk.HostProvider. The client waits before it tries the server
// once more.
type oneServer struct{ tried bool }

func (*oneServer) Init([]string) error { return nil }
func (*oneServer) Len() int            { return 1 }
func (s *oneServer) Connected()        { s.tried = false }

func (s *oneServer) Next() (server string, again bool) {
	again, s.tried = s.tried, true
	return history.NodeName(0), again
}

// addresses is a zk.HostProvider like the library's own, but for its look-up of
// names and its shuffle: the addresses are tried one after the other. When all have
// been since the last connection, the client fails what it has not sent, and waits a
// second. All of them lead to the one node.
//
// With one address, this would be so as soon as a connection is lost, and chance
// would decide whether what the lock asks for at that instant fails or is sent later.
// Here it is sent later: dial waits for the second instead.
type addresses struct {
	n, at, last int
	lost        bool // the only address has just been connected to
}

func (*addresses) Init([]string) error { return nil }
func (a *addresses) Len() int          { return a.n }
func (a *addresses) Connected()        { a.last, a.lost = a.at, a.n == 1 }

func (a *addresses) Next() (server string, again bool) {
	a.at = (a.at + 1) % a.n
	again = a.at == a.last && !a.lost
	a.last = max(a.last, 0)
	return history.NodeName(a.at), again
}

// pause waits before the only address is tried again.
func (a *addresses) pause() {
	if a.lost {
		time.Sleep(time.Second)
	}
	a.lost = false
}

// silent is a zk.Logger.
type silent struct{}

func (silent) Printf(string, ...any) {}

// programSource returns the line of the lock's code in which the program waits,
// for a request that a goroutine of a library sends on its behalf; "" if it is
// in none.
func (r *run) programSource() string {
	mark := "synctest bubble " + strconv.Itoa(r.number) + "]"
	for stack := range strings.SplitSeq(program.Stacks(), "\n\n") {
		head, _, _ := strings.Cut(stack, "\n")
		if strings.HasSuffix(head, mark+":") && strings.Contains(stack, "bubble.(*run).program(") {
			_, place := program.Whereabouts(stack)
			return place
		}
	}
	return ""
}
