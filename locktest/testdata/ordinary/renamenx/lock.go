// Package renamenx writes a key of its own, with its TTL, and renames it to the lock unless that
// exists. It is older than SET NX PX.
//
// HOLDS: RENAMENX brings the value and the deadline at once, or nothing. What is not renamed
// ends by itself. The own key ends before the lease does, never after: it was there before.
package renamenx

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrExists means that somebody was first.
var ErrExists = errors.New("exists")

// File is a lock like a lock file.
type File struct {
	Client *redis.Client
	Name   string
	TTL    time.Duration
	id     string
}

// Create makes the file.
func (f *File) Create(ctx context.Context) error {
	id := rand.Text()
	temp := fmt.Sprintf("%s.%s.tmp", f.Name, id)
	if err := f.Client.Set(ctx, temp, id, f.TTL).Err(); err != nil {
		return err
	}
	created, err := f.Client.RenameNX(ctx, temp, f.Name).Result()
	if err != nil {
		return err
	}
	if !created {
		f.Client.Del(ctx, temp)
		return ErrExists
	}
	f.id = id
	return nil
}

// Remove removes the file if it is the one that Create made.
func (f *File) Remove(ctx context.Context) error {
	return f.Client.Eval(context.WithoutCancel(ctx), `
		if redis.call("GET", KEYS[1]) == ARGV[1] then
			return redis.call("DEL", KEYS[1])
		end
		return 0`, []string{f.Name}, f.id).Err()
}
