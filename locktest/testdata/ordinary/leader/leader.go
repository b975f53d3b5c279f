// Package leader is an election: whoever gets the key leads, and confirms it thrice in a lease
// until it is told to stop, or has lost.
//
// contention, crash, long-work: HOLDS.
// hang: VIOLATED lock-recovers: a leader whose work stands still goes on to confirm.
package leader

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrFollower means that somebody else leads.
var ErrFollower = errors.New("leader: this is a follower")

// Election is one candidate's view.
type Election struct {
	Redis *redis.Client
	Key   string
	ID    string
	Term  time.Duration
}

var confirm = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)

var resign = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0`)

// Campaign runs lead while this candidate leads. Its context ends with the leadership.
func (e *Election) Campaign(ctx context.Context, lead func(context.Context) error) error {
	won, err := e.Redis.SetNX(ctx, e.Key, e.ID, e.Term).Result()
	if err != nil {
		return err
	}
	if !won {
		return ErrFollower
	}
	leading, lost := context.WithCancel(ctx)
	defer lost()
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(e.Term / 3)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				n, err := confirm.Run(context.WithoutCancel(ctx), e.Redis, []string{e.Key}, e.ID, e.Term.Milliseconds()).Int()
				if err == nil && n == 0 {
					lost()
					return
				}
			}
		}
	}()
	err = lead(leading)
	close(done)
	<-stopped
	if gone := resign.Run(context.WithoutCancel(ctx), e.Redis, []string{e.Key}, e.ID).Err(); gone != nil {
		log.Printf("leader: resign: %v", gone)
	}
	return err
}
