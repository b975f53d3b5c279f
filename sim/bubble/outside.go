package bubble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/program"
)

// This file finds code that uses a go-redis client other than those it was given:
// such a client talks past the seam. go-redis reports every command of every client
// to one recorder, on the goroutine that sends it, so that the line is known.

// ErrOutside says that the lock uses a Redis client of its own.
var ErrOutside = errors.New("the lock uses a Redis client that it was not given")

// Watch makes Redis clients of a lock's own an error of whoever observes the lock, in
// this whole process from now on. No host name is looked up on a network any more.
func Watch() { watch() }

var watch = sync.OnceFunc(func() {
	watched.Store(true)
	redis.SetOTelRecorder(recorder{})
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("a lock under test looks up no names")
	}}
	// The resolver makes a channel at its first look-up: in a bubble, only that bubble
	// could use it.
	_, _ = net.DefaultResolver.LookupHost(context.Background(), "localhost")
})

var watched atomic.Bool

// unwatched makes Redis clients that are no lock's own. A client that is made while
// there is a recorder draws one random number more.
func unwatched(make func()) {
	if watched.Load() {
		redis.SetOTelRecorder(nil)
		defer redis.SetOTelRecorder(recorder{})
	}
	make()
}

var (
	outside atomic.Pointer[error] // the first command past the seam that has ended
	waiting atomic.Pointer[error] // one that has not
)

// past is what is known of a command past the seam; nil for nothing.
func past() error {
	if err := outside.Load(); err != nil {
		return *err
	}
	return nil
}

// pastOr is what explains that the code failed: a command past the seam before err.
func pastOr(err error) error {
	if err := past(); err != nil {
		return err
	}
	if err := waiting.Load(); err != nil {
		return *err
	}
	return err
}

// ended notes what a command was sent over, or why it was not sent.
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
	said := fmt.Errorf("%w: %s %s", ErrOutside, program.CallerSource(), how)
	outside.CompareAndSwap(nil, &said)
}

// A recorder is go-redis's, for metrics.
type recorder struct{}

func (recorder) RecordOperationDuration(_ context.Context, _ time.Duration, _ redis.Cmder, _ int, err error, cn redis.ConnInfo, _ int) {
	ended(err, cn)
}

func (recorder) RecordPipelineOperationDuration(_ context.Context, _ time.Duration, _ string, _, _ int, err error, cn redis.ConnInfo, _ int) {
	ended(err, cn)
}

// RecordPendingRequests is told of a command before it has a connection, by the
// client's address and a number.
func (recorder) RecordPendingRequests(_ context.Context, more int, _ redis.ConnInfo, pool string) {
	address, _, _ := strings.Cut(pool, "_")
	if more > 0 && strings.ContainsAny(address, ":/") { // no node's name
		err := fmt.Errorf("%w: %s waits for %s", ErrOutside, program.CallerSource(), address)
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

// places is where the last place is noted; nil for nowhere.
var places io.WriterAt

// Places notes each command at the begin of w, in one line, before it is sent: its
// client, its name and its line of code. It is for what ends the process.
func Places(w io.WriterAt) { places = w }

func note(client, source string, units []sim.Unit) {
	if places != nil {
		_, _ = fmt.Fprintf(io.NewOffsetWriter(places, 0), "%s\t%s\t%s\n", client, program.LabelOf(units), source)
	}
}
