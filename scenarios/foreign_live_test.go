package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/sim/bubble"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A renewing lock starts a goroutine that renews its lease for ever.
type renewing struct {
	redis *redis.Client
	key   string
	ttl   time.Duration
}

func (l renewing) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := l.redis.SetNX(ctx, l.key, "mine", l.ttl).Result()
	if err == nil && !ok {
		err = strategies.ErrNotAcquired
	}
	if err != nil {
		return strategies.Grant{}, err
	}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(l.ttl / 3)
			_ = l.redis.PExpire(ctx, l.key, l.ttl).Err()
		}
	}()
	return strategies.Grant{}, nil
}

func (l renewing) Unlock(ctx context.Context, _ strategies.Grant) error {
	return l.redis.Del(ctx, l.key).Err()
}

// TestForeignOnARealServer: a lock in a bubble plays on a real server as in the
// world, also where it takes longer than a lease to decide whether it recovers.
func TestForeignOnARealServer(t *testing.T) {
	t.Parallel()
	Admit("renewing", program.Subject{Nodes: 1, Start: bubble.Start, New: func(env strategies.Env) strategies.Lock {
		return renewing{env.Redis, env.Key, env.TTL}
	}})
	var text strings.Builder
	for _, command := range []string{"world strategy=renewing clients=A,B", "run A until=in-critical", "hang A", "check"} {
		text.WriteString(command + "\n----\n\n")
	}
	story, err := Parse("foreign.txt", "foreign", text.String())
	if err != nil {
		t.Fatal(err)
	}
	playLive(t, []*Story{story})
}
