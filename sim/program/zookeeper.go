package program

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"lockstep/sim"
	"lockstep/sim/zookeeper"
)

// zookeeperDialect is the protocol of ZooKeeper. The commands of a unit are the
// name of a request and its frame.
//
// The library numbers its requests, those too that it gives up before they are
// sent, and how many these are can depend on which goroutine was faster. So a
// request is numbered anew here: it has the first number, from 1, that no
// unanswered request of its connection has. How many came before makes no
// difference then.
type zookeeperDialect struct {
	connected bool // the connect request has been sent
	mu        sync.Mutex
	welcomed  bool
	xids      []uint32 // what the library calls the unanswered requests; 0 for a free number
}

// Requests is Dialect's. It drops pings: a client that can be reached keeps its session alive,
// see sim.Server.Attend, and it notices the end of its connection when a
// request fails or the server says so.
func (d *zookeeperDialect) Requests(written *bytes.Buffer) (units []sim.Unit, _ []byte, err error) {
	for {
		frame, rest, ok, err := zookeeper.Cut(written.Bytes())
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return units, nil, nil
		}
		frame = bytes.Clone(frame)
		written.Next(written.Len() - len(rest))
		if !d.connected {
			addTimeout(frame, timeoutInConnect, -quiet)
		}
		request, err := zookeeper.ParseRequest(frame, !d.connected)
		if err != nil {
			return nil, nil, err
		}
		if d.connected && request.Xid > 0 {
			d.number(frame)
		}
		d.connected = true
		if request.Op != zookeeper.Ping {
			units = append(units, sim.Unit{Cmds: [][]string{{request.Op.String(), string(frame)}}, Shown: [][]string{request.Text()}, Renews: request.Renews()})
		}
	}
}

// The library pings several times within a session's timeout, and each ping would
// wake it for nothing. So it reads a timeout that is longer by quiet, in
// milliseconds, and what it asks for when it connects anew is shortened again.
const quiet = 24 * 60 * 60 * 1000

// Where a frame has the timeout.
const (
	timeoutInConnect = 12 // after the version and the last zxid
	timeoutInWelcome = 4  // after the version
)

// addTimeout changes the timeout at a place of a frame, if the result is one.
func addTimeout(frame []byte, at int, by int32) {
	if len(frame) < at+4 {
		return
	}
	was := int32(binary.BigEndian.Uint32(frame[at:]))
	if is := int64(was) + int64(by); was > 0 && 0 < is && is <= math.MaxInt32 {
		binary.BigEndian.PutUint32(frame[at:], uint32(is))
	}
}

// number numbers a request anew.
func (d *zookeeperDialect) number(frame []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := slices.Index(d.xids, 0)
	if free < 0 {
		free = len(d.xids)
		d.xids = append(d.xids, 0)
	}
	d.xids[free] = binary.BigEndian.Uint32(frame)
	binary.BigEndian.PutUint32(frame, uint32(free+1))
}

// Replies is Dialect's. It gives each reply the number that the library knows. The first one, to the
// connect request, has none.
func (d *zookeeperDialect) Replies(sent []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	read := bytes.Clone(sent)
	for rest := read; ; {
		frame, more, ok, err := zookeeper.Cut(rest)
		if !ok || err != nil {
			return read
		}
		if !d.welcomed {
			addTimeout(frame, timeoutInWelcome, quiet)
		} else if len(frame) >= 4 {
			if n := int(int32(binary.BigEndian.Uint32(frame))); 0 < n && n <= len(d.xids) {
				binary.BigEndian.PutUint32(frame, d.xids[n-1])
				d.xids[n-1] = 0
			}
		}
		d.welcomed, rest = true, more
	}
}
