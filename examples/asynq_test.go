package examples

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
	"lockstep/sim/live"
)

// asynqKey is the key of the unique lock of a task "stock" without payload.
const asynqKey = "asynq:{default}:unique:stock:"

// asynqUnique takes the unique lock of a task by putting it into a queue, and
// gives it back by deleting the task.
func asynqUnique(c locktest.Client) (locktest.Lock, error) {
	client, inspector := asynq.NewClientFromRedisClient(c.Redis), asynq.NewInspectorFromRedisClient(c.Redis)
	var id string
	return locktest.Funcs(func(ctx context.Context) error {
		info, err := client.EnqueueContext(ctx, asynq.NewTask("stock", nil), asynq.Unique(c.TTL))
		switch {
		case errors.Is(err, asynq.ErrDuplicateTask):
			return locktest.ErrNotAcquired
		case err == nil:
			id = info.ID
		}
		return err
	}, func(context.Context) error {
		return inspector.DeleteTask("default", id)
	}), nil
}

// TestAsynqAnnouncesOnce: what the table finds of asynq, on a Redis server, which
// Lockstep plays nothing on that has such scripts.
func TestAsynqAnnouncesOnce(t *testing.T) {
	server, err := live.Start(t.Context())
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	at, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	r := redis.NewClient(at)
	defer func() { _ = r.Close() }()
	l, err := asynqUnique(locktest.Client{Redis: r, TTL: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Lock(t.Context()), l.Unlock(t.Context()), r.FlushAll(t.Context()).Err(), l.Lock(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(t.Context()); !errors.Is(err, asynq.ErrQueueNotFound) {
		t.Errorf("it was released: %v", err)
	}
	if n := r.Exists(t.Context(), asynqKey).Val(); n != 1 {
		t.Errorf("%d keys", n)
	}
}
