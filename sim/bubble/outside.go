package bubble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/bubble/guest"
	"lockstep/sim/program"
)

// This file finds code that bypasses the seam with its own go-redis client.
// go-redis reports every command of every client to a recorder, on the
// goroutine that sends it, so that the line is known.

// server is the one that the lock's own clients use, by its address and database.
var server atomic.Pointer[string]

func init() {
	guest.Options = func(o *redis.Options) *redis.Options {
		name := fmt.Sprintf("%s/%d", o.Addr, o.DB)
		return program.Options(o, 0, func() (net.Conn, error) {
			r := here()
			if r == nil {
				return nil, net.ErrClosed
			}
			server.CompareAndSwap(nil, &name)
			if first := *server.Load(); first != name || r.b.subject.Nodes != 1 {
				r.refuse(fmt.Errorf("%w: of %s, beside %s or several nodes; in the factory, give the lock Client.Nodes", program.ErrOutside, name, first))
				return nil, net.ErrClosed
			}
			return r.connect(0), nil
		})
	}
}

// instead says what to write.
const instead = "in the factory, give the lock Client.Redis, or redis.NewClient(c.Redis.Options())"

// Watch makes the use of a lock's own Redis clients an error of Bubble.Observe,
// in the whole process from now on. It also disables DNS.
func Watch() { watch() }

var watch = sync.OnceFunc(func() {
	watched.Store(true)
	redis.SetOTelRecorder(recorder{})
	net.DefaultResolver = nameless
	Prepare()
})

var nameless = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("a lock under test looks up no names")
}}

// Prepare does what Watch needs that reads files: while packages are initialized, it
// counts as nothing that the lock has read.
//
// The resolver makes a channel at its first look-up. If that were in a bubble, only that
// bubble could use it.
var Prepare = sync.OnceFunc(func() { _, _ = nameless.LookupHost(context.Background(), "localhost") })

var watched atomic.Bool

// unwatched calls make without the recorder, to create Lockstep's own clients.
// With a recorder, go-redis draws one more random number per client.
func unwatched(make func()) {
	if watched.Load() {
		redis.SetOTelRecorder(nil)
		defer redis.SetOTelRecorder(recorder{})
	}
	make()
}

var (
	outside atomic.Pointer[error] // the first command that bypassed the seam, or was about to
	waiting atomic.Pointer[error] // an unfinished one that is no run's
)

// past returns the error of a command that bypassed the seam, or nil.
func past() error {
	if err := outside.Load(); err != nil {
		return *err
	}
	return nil
}

// pastOr returns the reason for a failure: a command that bypassed the seam,
// otherwise err.
func pastOr(err error) error {
	if err := past(); err != nil {
		return err
	}
	if err := waiting.Load(); err != nil {
		return *err
	}
	return err
}

// ended records the connection of a finished command, or why it was not sent.
func ended(err error, cn redis.ConnInfo) {
	waiting.Store(nil)
	var name *net.DNSError
	var dial *net.OpError
	how := ""
	switch {
	case cn != nil && program.IsSeam(cn.RemoteAddr()):
		return
	case cn != nil:
		how = fmt.Sprintf("is connected to %v", cn.RemoteAddr())
	case errors.As(err, &name):
		how = fmt.Sprintf("looks up the host name %q", name.Name)
	case errors.As(err, &dial) && dial.Op == "dial" && !program.IsSeam(dial.Addr):
		how = fmt.Sprintf("dials: %v", dial)
	default:
		return
	}
	report := fmt.Errorf("%w: %s %s; %s", program.ErrOutside, program.CallerSource(), how, instead)
	outside.CompareAndSwap(nil, &report)
}

// A recorder is a go-redis recorder for metrics.
type recorder struct{}

func (recorder) RecordOperationDuration(_ context.Context, _ time.Duration, _ redis.Cmder, _ int, err error, cn redis.ConnInfo, _ int) {
	ended(err, cn)
}

func (recorder) RecordPipelineOperationDuration(_ context.Context, _ time.Duration, _ string, _, _ int, err error, cn redis.ConnInfo, _ int) {
	ended(err, cn)
}

// RecordPendingRequests is called before a command has a connection, with the
// client's address and a number. There may be a server at that address: the goroutine ends before
// it dials.
func (recorder) RecordPendingRequests(_ context.Context, more int, _ redis.ConnInfo, pool string) {
	address, _, _ := strings.Cut(pool, "_")
	if more > 0 && strings.ContainsAny(address, ":/") { // not the name of a node
		err := fmt.Errorf("%w: %s waits for %s; %s", program.ErrOutside, program.CallerSource(), address, instead)
		if here() != nil {
			outside.CompareAndSwap(nil, &err)
			runtime.Goexit()
		}
		waiting.Store(&err)
	}
}

func (recorder) RecordConnectionCount(context.Context, int, redis.ConnInfo, string, bool)  {}
func (recorder) RecordConnectionCreateTime(context.Context, time.Duration, redis.ConnInfo) {}
func (recorder) RecordConnectionRelaxedTimeout(context.Context, int, redis.ConnInfo, string, string) {
}
func (recorder) RecordConnectionHandoff(context.Context, redis.ConnInfo, string)           {}
func (recorder) RecordError(context.Context, string, redis.ConnInfo, string, bool, int)    {}
func (recorder) RecordMaintenanceNotification(context.Context, redis.ConnInfo, string)     {}
func (recorder) RecordConnectionWaitTime(context.Context, time.Duration, redis.ConnInfo)   {}
func (recorder) RecordConnectionClosed(context.Context, redis.ConnInfo, string, error)     {}
func (recorder) RecordPubSubMessage(context.Context, redis.ConnInfo, string, string, bool) {}
func (recorder) RecordStreamLag(context.Context, time.Duration, redis.ConnInfo, string, string, string) {
}

// places receives the last place, unless it is nil.
var places io.WriterAt

// Places writes a line to the start of w before each command: client, command
// and line of code. It shows what ended the process.
func Places(w io.WriterAt) { places = w }

func note(client, source string, units []sim.Unit) {
	if places != nil {
		_, _ = fmt.Fprintf(io.NewOffsetWriter(places, 0), "%s\t%s\t%s\n", client, program.LabelOf(units), source)
	}
}
