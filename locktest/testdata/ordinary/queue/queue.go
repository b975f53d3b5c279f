// Package queue is a lock that is a queue in a list: whoever is at its head has the lock, and
// who is not leaves at once. A Board also says in a key who that is.
//
// A Queue is not tried: of a list, whoever pops the last element has the lock, and one sentence
// has to say so.
// A Board, contention: HOLDS: only the head writes the key, and each removes its own entry.
// crash: VIOLATED lock-recovers: the entry of a dead client stays at the head, and has no deadline.
package queue

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/redis/go-redis/v9"
)

// ErrNotFirst means that somebody else is at the head.
var ErrNotFirst = errors.New("queue: not first")

// Queue is one client's view of it.
type Queue struct {
	db   redis.Cmdable
	name string
	me   string
}

// Open returns a queue.
func Open(db redis.Cmdable, name string) *Queue { return &Queue{db: db, name: name} }

// Enter puts an entry at the end, and looks whether that is the head.
func (q *Queue) Enter(ctx context.Context) error {
	me := rand.Text()
	if err := q.db.RPush(ctx, q.name, me).Err(); err != nil {
		return err
	}
	head, err := q.db.LIndex(ctx, q.name, 0).Result()
	if err == nil && head == me {
		q.me = me
		return nil
	}
	if gone := q.db.LRem(context.WithoutCancel(ctx), q.name, 1, me).Err(); err == nil {
		err = gone
	}
	if err != nil {
		return err
	}
	return ErrNotFirst
}

// Leave removes the own entry.
func (q *Queue) Leave(ctx context.Context) error {
	return q.db.LRem(context.WithoutCancel(ctx), q.name, 1, q.me).Err()
}

// Board is a queue beside a key that has the name of its head.
type Board struct {
	Queue
	key string
}

// NewBoard returns a board.
func NewBoard(db redis.Cmdable, key string) *Board { return &Board{*Open(db, key+":queue"), key} }

// Enter enters, and signs.
func (b *Board) Enter(ctx context.Context) error {
	if err := b.Queue.Enter(ctx); err != nil {
		return err
	}
	return b.db.Set(ctx, b.key, b.me, 0).Err()
}

// Leave removes the name, and then leaves.
func (b *Board) Leave(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := b.db.Del(ctx, b.key).Err(); err != nil {
		return err
	}
	return b.Queue.Leave(ctx)
}
