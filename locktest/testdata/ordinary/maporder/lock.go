// Package maporder locks two things, in whatever order a map has them. Of a map of two Go
// draws the second first once in eight times.
//
// A right one gives back what it has when it is refused. One that does not is wrong with no
// fault at all: A has both, or the second only, and B, which began with the first, is refused
// at the second and keeps the first: self-deadlock. Clients that had one order would never.
package maporder

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrTaken means that one of the two is somebody's.
var ErrTaken = errors.New("maporder: taken")

var free = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`)

// Both locks Things.
type Both struct {
	DB     *redis.Client
	Things map[string]bool
	TTL    time.Duration
	Keeps  bool // what it has, when it is refused
	token  string
}

// New locks a thing and its index.
func New(db *redis.Client, thing string, ttl time.Duration, keeps bool) *Both {
	return &Both{DB: db, Things: map[string]bool{thing: true, thing + ":index": true}, TTL: ttl, Keeps: keeps}
}

// Lock takes all.
func (b *Both) Lock(ctx context.Context) error {
	token := rand.Text()
	var has []string
	for thing := range b.Things {
		ok, err := b.DB.SetNX(ctx, thing, token, b.TTL).Result()
		if err == nil && ok {
			has = append(has, thing)
			continue
		}
		if !b.Keeps {
			for _, thing := range has {
				free.Run(context.WithoutCancel(ctx), b.DB, []string{thing}, token)
			}
		}
		if err == nil {
			err = ErrTaken
		}
		return err
	}
	b.token = token
	return nil
}

// Unlock gives all back.
func (b *Both) Unlock(ctx context.Context) (err error) {
	for thing := range b.Things {
		err = errors.Join(err, free.Run(context.WithoutCancel(ctx), b.DB, []string{thing}, b.token).Err())
	}
	return err
}
