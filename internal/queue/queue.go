// Package queue has jobs done by workers, over queues in Redis (asynq).
//
// A job is a function of its payload, so it does no harm if it runs twice, in any order
// or again after a crash. Its answer is kept in Redis under its name, where a later call
// finds it. asynq gives the job of a worker that died to another one after 60 to 120 s.
package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/lang"
	"lockstep/sim/live"
)

// A Job is a piece of work.
type Job struct {
	ID      string // unique among all jobs
	Version string // of the code that can do it: each has a queue of its own
	Payload []byte
}

// A Queue is a Redis with jobs.
type Queue struct {
	redis  redis.UniversalClient
	at     string // the server's address
	giveUp func() // ends all commands: to close the client that asynq uses would be a panic of asynq's
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
	o.DialTimeout, o.ReadTimeout = cmp.Or(o.DialTimeout, patience), cmp.Or(o.ReadTimeout, patience)
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	o.Limiter = calm{life}
	q := &Queue{redis.NewClient(o), o.Addr, end}
	if err := q.able(ctx); err != nil {
		q.Close()
		return nil, q.explain(err)
	}
	return q, nil
}

// patience is how long Redis may take for a command.
const patience = 3 * time.Second

// able returns why jobs and answers cannot be kept now, nil if they can. It asks Redis to
// change a key that is not there.
func (q *Queue) able(ctx context.Context) error {
	err := q.redis.Do(ctx, "SET", keyOf(""), "", "XX", "PX", 1).Err()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}

// unable are the errors of a Redis that takes no writes.
var unable = map[string]lang.Word{
	"MISCONF":  "cannot write to its disk, and takes no writes",
	"OOM":      "has no memory left, and takes no writes",
	"READONLY": "is a replica, and takes no writes",
}

// explain says in a sentence why a command has failed. It goes by the text: asynq says some
// words before what go-redis has said.
func (q *Queue) explain(err error) error {
	if err == nil {
		return nil
	}
	words := strings.Fields(err.Error())
	for _, word := range words {
		if unable[word] != "" {
			return lang.Errorf("%s %v (%s)", q.at, unable[word], word)
		}
	}
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case has("NOAUTH"), has("WRONGPASS"):
		return lang.Errorf("%s: %w", q.at, live.ErrLocked)
	case has("timeout"):
		return lang.Errorf("%s does not answer; it may be stopped, or busy", q.at)
	case has("deadline"):
		return lang.Errorf("%s does not answer in TLS; use redis:// if it has none", q.at)
	case has("EOF"):
		return lang.Errorf("%s ends the connection; it may want TLS, as rediss://, or not be a Redis", q.at)
	case has("dial"), has("read"), has("write"):
		return lang.Errorf("%s cannot be reached: %w", q.at, err)
	}
	return lang.Errorf("%s refuses: %w", q.at, err)
}

// watch says each second what able says, until ctx ends.
func (q *Queue) watch(ctx context.Context, to chan<- error) {
	for pause(ctx, beat) {
		select {
		case to <- q.able(ctx):
		case <-ctx.Done():
		}
	}
}

// pause reports whether ctx goes on after so long.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// HasPassword reports whether an address has a password.
func HasPassword(address string) (bool, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return false, errNoURL
	}
	return o.Password != "", nil
}

var errNoURL = lang.Errorf("the address is not the URL of a Redis; use redis://user:password@host:port/db, or rediss:// for TLS")

// String is where the Redis is, without a password.
func (q *Queue) String() string { return q.at }

// Close ends the connections.
func (q *Queue) Close() {
	q.giveUp()
	_ = q.redis.Close()
}

// calm waits after a command that Redis did not hear or could not do: asynq would ask at
// once again, for as long as that lasts. After giveUp none is sent any more.
type calm struct{ life context.Context }

// pauseTime is how long.
const pauseTime = 200 * time.Millisecond

// usual begin the results after which there is nothing to wait for: also what an older Redis
// says to a connection's first commands, and asynq's scripts of a job that is not there.
var usual = []string{"<nil>", "redis:", "NOSCRIPT", "ERR", "NOT"}

func (c calm) Allow() error { return c.life.Err() }

func (c calm) ReportResult(err error) {
	if code, _, _ := strings.Cut(fmt.Sprint(err), " "); !slices.Contains(usual, code) {
		pause(c.life, pauseTime)
	}
}

// An answer is what a worker says of a job.
type answer struct {
	Worker  string `json:"worker"`
	Trouble string `json:"trouble,omitempty"` // why there is no Answer
	Answer  []byte `json:"answer,omitempty"`
}

// keyOf is the key of a job's answer.
func keyOf(job string) string { return "lockstep:answer:" + job }

// kept is how long an answer stays in Redis.
const kept = 24 * time.Hour
