// Package keyspace waits for the server's own notification that the key was deleted or has
// expired; the operators have switched these on (notify-keyspace-events Kgx).
//
// Refused: its SUBSCRIBE is not simulated. Without them everybody would sleep for ever,
// and with them nobody does: it subscribes, waits for the confirmation, and looks again.
package keyspace

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/go-redis/v9"
)

// Notified is a lock whose waiters are notified.
type Notified struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
}

// New returns a lock.
func New(rdb *redis.Client, key string, ttl time.Duration) *Notified {
	return &Notified{rdb: rdb, key: key, ttl: ttl}
}

// Lock waits for the lock.
func (n *Notified) Lock(ctx context.Context) error {
	events := n.rdb.Subscribe(ctx, "__keyspace@0__:"+n.key)
	defer events.Close()
	if _, err := events.Receive(ctx); err != nil {
		return err
	}
	token := rand.Text()
	for {
		ok, err := n.rdb.SetNX(ctx, n.key, token, n.ttl).Result()
		if err != nil {
			return err
		}
		if ok {
			n.token = token
			return nil
		}
		for {
			msg, err := events.ReceiveMessage(ctx)
			if err != nil {
				return err
			}
			if msg.Payload == "del" || msg.Payload == "expired" {
				break
			}
		}
	}
}

// Unlock deletes the key, of which the server tells.
func (n *Notified) Unlock(ctx context.Context) error {
	return n.rdb.Eval(context.WithoutCancel(ctx),
		`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`,
		[]string{n.key}, n.token).Err()
}
