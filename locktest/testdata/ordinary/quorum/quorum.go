// Package quorum asks several nodes at once, holds what most of them have given it in time, and
// otherwise gives back what it has got.
//
// contention, crash, hang, lost-reply: HOLDS. No two clients get two of three nodes; a lease that
// nobody gives back ends; and a client whose replies are lost has asked the script to delete its
// token everywhere.
package quorum

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrNoQuorum means that too few nodes gave it.
var ErrNoQuorum = errors.New("quorum: too few nodes")

var free = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// A Mutex is a lock on several nodes.
type Mutex struct {
	Nodes []*redis.Client
	Key   string
	TTL   time.Duration

	token string
}

// Lock acquires it, or returns ErrNoQuorum.
func (m *Mutex) Lock(ctx context.Context) error {
	begun := time.Now()
	m.token = rand.Text()
	given := m.count(func(node *redis.Client) bool {
		ok, err := node.SetNX(ctx, m.Key, m.token, m.TTL).Result()
		return err == nil && ok
	})
	if given > len(m.Nodes)/2 && time.Since(begun) < m.TTL-m.TTL/50 {
		return nil
	}
	m.free(ctx)
	return ErrNoQuorum
}

// Unlock releases it.
func (m *Mutex) Unlock(ctx context.Context) error {
	if m.free(ctx) <= len(m.Nodes)/2 {
		return ErrNoQuorum
	}
	return nil
}

func (m *Mutex) free(ctx context.Context) int {
	return m.count(func(node *redis.Client) bool {
		n, err := free.Run(ctx, node, []string{m.Key}, m.token).Int()
		return err == nil && n == 1
	})
}

// count asks all nodes at once, and returns how many said yes.
func (m *Mutex) count(ask func(*redis.Client) bool) (yes int) {
	said := make(chan bool, len(m.Nodes))
	for _, node := range m.Nodes {
		go func() { said <- ask(node) }()
	}
	for range m.Nodes {
		if <-said {
			yes++
		}
	}
	return yes
}
