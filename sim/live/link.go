package live

import (
	"io"
	"net"
	"strconv"
	"sync"
)

// A link carries replication from a server to its replica: everything until
// hold, then only up to an offset.
type link struct {
	listener net.Listener
	all      sync.WaitGroup
	changed  *sync.Cond // guards the fields below
	ends     []io.Closer
	held     bool
	passed   int64 // bytes since at
	at       int64 // the replica's reported offset
	limit    int64
	closed   bool
}

func newLink(server string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{listener: l, changed: sync.NewCond(&sync.Mutex{})}
	k.all.Go(func() { k.accept(server) })
	return k, nil
}

func (k *link) address() string { return k.listener.Addr().String() }

// accept serves the replica, which may connect more than once.
func (k *link) accept(server string) {
	for {
		replica, err := k.listener.Accept()
		if err != nil {
			return
		}
		master, err := net.Dial("tcp", server)
		if err != nil {
			_ = replica.Close() // it retries
			continue
		}
		k.changed.L.Lock()
		k.ends = append(k.ends, replica, master)
		closed := k.closed
		k.changed.L.Unlock()
		if closed {
			_, _ = replica.Close(), master.Close()
			return
		}
		k.all.Go(func() { _, _ = io.Copy(master, replica); _ = master.Close() })
		k.all.Go(func() { k.forward(replica, master); _ = replica.Close() })
	}
}

// forward copies the server's bytes as far as the link allows.
func (k *link) forward(replica io.Writer, master io.Reader) {
	b := make([]byte, 16<<10)
	for {
		n, err := master.Read(b)
		if err != nil {
			return
		}
		for rest := b[:n]; len(rest) > 0; {
			may := k.may(len(rest))
			if may == 0 {
				return
			}
			if _, err := replica.Write(rest[:may]); err != nil {
				return
			}
			rest = rest[may:]
		}
	}
}

// may returns how many of n bytes may pass, and waits for the first. 0 means
// that the link is closed.
func (k *link) may(n int) int {
	k.changed.L.Lock()
	defer k.changed.L.Unlock()
	for !k.closed && k.held && k.at+k.passed >= k.limit {
		k.changed.Wait()
	}
	switch {
	case k.closed:
		return 0
	case k.held:
		n = min(n, int(k.limit-k.at-k.passed))
	}
	k.passed += int64(n)
	return n
}

// synced sets the replica's offset. The bytes passed so far led to it, and each
// later byte adds one.
func (k *link) synced(offset string) {
	k.changed.L.Lock()
	defer k.changed.L.Unlock()
	if at, err := strconv.ParseInt(offset, 10, 64); err == nil && !k.held {
		k.at, k.passed = at, 0
	}
}

func (k *link) hold() {
	k.changed.L.Lock()
	defer k.changed.L.Unlock()
	k.held, k.limit = true, k.at+k.passed
}

// reveal allows the writes up to an offset.
func (k *link) reveal(offset int64) {
	k.changed.L.Lock()
	defer k.changed.L.Unlock()
	k.limit = max(k.limit, offset)
	k.changed.Broadcast()
}

func (k *link) close() {
	k.changed.L.Lock()
	k.closed = true
	for _, end := range k.ends {
		_ = end.Close() // it may be closed already
	}
	k.changed.Broadcast()
	k.changed.L.Unlock()
	_ = k.listener.Close() // no replica will connect
	k.all.Wait()
}
