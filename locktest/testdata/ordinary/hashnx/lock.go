// Package hashnx has the owner in a field of a hash: HSETNX, and PEXPIRE NX (Redis 7.0), in one
// transaction.
//
// HOLDS. Who is refused sends a PEXPIRE too; with NX it changes no key that has a deadline, and
// the holder's always has one, since nothing comes between the two.
package hashnx

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrOwned means that the resource has an owner.
var ErrOwned = errors.New("hashnx: owned")

const field = "owner"

var disown = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then
	return redis.error_reply('NOTOWNER')
end
return redis.call('DEL', KEYS[1])
`)

// Ownership of a resource.
type Ownership struct {
	db       *redis.Client
	resource string
	owner    string
}

// Own makes the caller the owner.
func Own(ctx context.Context, db *redis.Client, resource string, ttl time.Duration) (*Ownership, error) {
	o := &Ownership{db: db, resource: resource, owner: rand.Text()}
	var set *redis.BoolCmd
	_, err := db.TxPipelined(ctx, func(p redis.Pipeliner) error {
		set = p.HSetNX(ctx, resource, field, o.owner)
		p.Do(ctx, "PEXPIRE", resource, ttl.Milliseconds(), "NX")
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !set.Val() {
		return nil, ErrOwned
	}
	return o, nil
}

// Disown ends it.
func (o *Ownership) Disown(ctx context.Context) error {
	return disown.Run(context.WithoutCancel(ctx), o.db, []string{o.resource}, o.owner).Err()
}
