package examples

import (
	"context"
	"errors"

	"github.com/hibiken/asynq"

	"lockstep/locktest"
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
