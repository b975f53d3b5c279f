// Package queue spreads jobs over workers by queues in Redis (asynq), and collects what
// they answer.
//
// A job is a function of its payload, so it does no harm if it runs twice, in any order
// or again after a crash. Answers are in a stream of their run, from which a later call
// goes on. Of the answers a sample is computed again by another worker. Where two differ,
// it is computed here: a worker whose answer is false is named, and nothing of what it
// sent counts.
//
// Every job and every answer takes a few commands of Redis; docs/many-machines.md counts
// them. asynq holds a job for 30 s after a worker's last sign of life and gives it to
// another one up to 90 s later. So Do does not wait for that: it sends a job again that
// nobody seems to work on.
package queue

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/lang"
)

// A Job is a piece of work. Its ID is unique within its run.
type Job struct {
	Run     string `json:"run"`
	Version string `json:"-"` // of the code that can do it: each has a queue of its own
	ID      string `json:"id"`
	Payload []byte `json:"payload"`
}

// name is that of the job among those of all runs.
func (j *Job) name() string { return j.Run + "/" + j.ID }

// The bounds of what goes through Redis, in bytes.
const (
	maxPayload = 64 << 10
	maxAnswer  = 1 << 20
	maxName    = 200
)

// A Queue is a Redis with jobs.
type Queue struct {
	redis redis.UniversalClient
	at    string // the server's address
}

// prefix begins the names of all queues of this program.
const prefix = "lockstep-"

// queueOf is the name of a version's queue.
func queueOf(version string) string { return prefix + version }

// kind is the type of all tasks.
const kind = "lockstep"

// Open connects to a Redis by its address, such as redis://user:password@host:port/db, or
// rediss:// for TLS. password replaces that of the address unless it is empty.
func Open(ctx context.Context, address, password string) (*Queue, error) {
	o, err := redis.ParseURL(address)
	if err != nil { // the error would show a password
		return nil, errNoURL
	}
	if password != "" {
		o.Password = password
	}
	if o.TLSConfig != nil {
		o.TLSConfig.MinVersion = tls.VersionTLS12
	}
	o.MaxRetries, o.DialerRetries = -1, 1 // Do and Work try again by themselves
	client := redis.NewClient(o)
	client.AddHook(calm{})
	if err := client.Ping(ctx).Err(); err != nil {
		_ = client.Close()
		return nil, lang.Errorf("%s does not answer: %w", o.Addr, err)
	}
	return &Queue{redis: client, at: o.Addr}, nil
}

// HasPassword reports whether an address has a password.
func HasPassword(address string) (bool, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return false, errNoURL
	}
	return o.Password != "", nil
}

var errNoURL = lang.Errorf("the address is no URL of a Redis; use redis://user:password@host:port/db, or rediss:// for TLS")

// String is where the Redis is, without a password.
func (q *Queue) String() string { return q.at }

// Close ends the connections.
func (q *Queue) Close() { _ = q.redis.Close() }

// calm waits after a command that Redis did not hear or could not do: asynq would ask at
// once again, for as long as that lasts.
type calm struct{}

// pauseTime is how long.
const pauseTime = 200 * time.Millisecond

func (calm) DialHook(next redis.DialHook) redis.DialHook { return next }

func (calm) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return wait(ctx, next(ctx, cmd))
	}
}

func (calm) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return wait(ctx, next(ctx, cmds))
	}
}

// unable begin the errors of a Redis that is not able to do a command now: its disk is
// full, its memory, it is still reading its files, it is no master.
var unable = []string{"MISCONF", "OOM", "LOADING", "READONLY", "NOREPLICAS", "MASTERDOWN", "BUSY "}

func wait(ctx context.Context, err error) error {
	var unreached net.Error
	refused := err != nil && slices.ContainsFunc(unable, func(begins string) bool { return strings.HasPrefix(err.Error(), begins) })
	if (refused || errors.As(err, &unreached) || errors.Is(err, io.EOF)) && ctx.Err() == nil {
		select {
		case <-time.After(pauseTime):
		case <-ctx.Done():
		}
	}
	return err
}

// answers is the key of a run's answers.
func answers(run string) string { return "lockstep:{" + run + "}:answers" }

// runOf is the run of such a key.
func runOf(key string) string {
	return strings.TrimSuffix(strings.TrimPrefix(key, "lockstep:{"), "}:answers")
}

// disbelieved is the key of the workers whose answers to a run were false. Who finds
// itself there stops.
func disbelieved(run string) string { return "lockstep:{" + run + "}:disbelieved" }

// kept is how long answers stay in Redis after the last one.
const kept = 24 * time.Hour

// ErrDisbelieved ends a worker whose answer was computed again and found to be false.
var ErrDisbelieved = lang.Errorf("an answer of this worker was computed again and is false: its machine or its program is broken")

// asynqLog passes what asynq says of trouble on.
type asynqLog struct{ tell func(string) }

func (asynqLog) Debug(...any)        {}
func (asynqLog) Info(...any)         {}
func (l asynqLog) Warn(said ...any)  { l.tell(fmt.Sprint(said...)) }
func (l asynqLog) Error(said ...any) { l.tell(fmt.Sprint(said...)) }
func (l asynqLog) Fatal(said ...any) { l.tell(fmt.Sprint(said...)) }

var _ asynq.Logger = asynqLog{}
