// Package universal is a generic wrapper around a right lock, by the interface that all clients of
// go-redis have.
//
// HOLDS.
package universal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBusy means that somebody else has the resource.
var ErrBusy = errors.New("universal: busy")

// Resource is anything that has a name to lock it by.
type Resource interface{ comparable }

// Guard locks resources of a kind.
type Guard[R Resource] struct {
	rdb   redis.UniversalClient
	name  func(R) string
	lease time.Duration
	held  map[R]string
}

// NewGuard returns a guard.
func NewGuard[R Resource](rdb redis.UniversalClient, lease time.Duration, name func(R) string) *Guard[R] {
	return &Guard[R]{rdb: rdb, name: name, lease: lease, held: map[R]string{}}
}

// Acquire takes a resource.
func (g *Guard[R]) Acquire(ctx context.Context, r R) error {
	secret := rand.Text()
	err := g.rdb.SetArgs(ctx, g.name(r), secret, redis.SetArgs{Mode: "NX", TTL: g.lease}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return ErrBusy
	case err != nil:
		return fmt.Errorf("acquire %v: %w", r, err)
	}
	g.held[r] = secret
	return nil
}

var release = redis.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then
	return redis.error_reply('NOTMINE the resource belongs to somebody else')
end
return redis.call('DEL', KEYS[1])`)

// ErrNotMine means that the resource was lost before.
var ErrNotMine = errors.New("universal: not mine")

// Release gives it back.
func (g *Guard[R]) Release(ctx context.Context, r R) error {
	secret := g.held[r]
	delete(g.held, r)
	err := release.Run(context.WithoutCancel(ctx), g.rdb, []string{g.name(r)}, secret).Err()
	if err != nil && redis.HasErrorPrefix(err, "NOTMINE") {
		return ErrNotMine
	}
	return err
}
