// Package leasevalue has the end of the lease in the value, by the server's clock, and no TTL:
// who finds a lease that is over takes the key over, in one script.
//
// HOLDS. No client takes over what is not over: the script compares by the clock by which it was
// written. overrun: A's lease is over by its own time, B takes over, and A is still at work:
// that is what "a lease ends when its time is over" allows, be the time in the value or in a TTL.
// crash: who comes after the lease takes over.
package leasevalue

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLeased means that somebody has a lease that is not over.
var ErrLeased = errors.New("leasevalue: leased")

var (
	lease = redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local value = redis.call("GET", KEYS[1])
if value and tonumber(string.match(value, ":(%d+)$")) >= now then return 0 end
redis.call("SET", KEYS[1], ARGV[1] .. ":" .. string.format("%d", now + ARGV[2]))
return 1`)
	end = redis.NewScript(`
local value = redis.call("GET", KEYS[1])
if value and string.match(value, "^(%w+):") == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`)
)

// Table of leases.
type Table struct{ DB redis.Scripter }

// Lease returns the holder's name, for End.
func (t Table) Lease(ctx context.Context, key string, d time.Duration) (string, error) {
	holder := rand.Text()
	n, err := lease.Run(ctx, t.DB, []string{key}, holder, d.Milliseconds()).Int()
	if err == nil && n == 0 {
		err = ErrLeased
	}
	return holder, err
}

// End ends a lease; false if it was over.
func (t Table) End(ctx context.Context, key, holder string) (bool, error) {
	n, err := end.Run(context.WithoutCancel(ctx), t.DB, []string{key}, holder).Int()
	return n == 1, err
}
