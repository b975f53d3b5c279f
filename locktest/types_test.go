package locktest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
)

// This file is locks that keep more than one string: semaphores and queues in a
// sorted set, tokens in a list. Each is there as it is right, and with one mistake.

// permit is a semaphore of one permit in a sorted set: who is in it has the permit,
// until the score.
var permit = redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[3])
if redis.call("ZCARD", KEYS[1]) < tonumber(ARGV[4]) then
	redis.call("ZADD", KEYS[1], now, ARGV[1])
	redis.call("PEXPIRE", KEYS[1], ARGV[2])
	return 1
end
return 0`)

// asSemaphore acquires by permit: entries are too old after old, and there are so
// many permits.
func asSemaphore(old func(ttl time.Duration) time.Duration, permits int) Factory {
	return func(c Client) (Lock, error) {
		return Funcs(func(ctx context.Context) error {
			n, err := permit.Run(ctx, c.Redis, []string{c.Key}, c.Name, (10 * c.TTL).Milliseconds(), old(c.TTL).Milliseconds(), permits).Int()
			return refused(n == 1, err)
		}, leaves(c, c.Key)), nil
	}
}

// byOwnClock is permit with the client's clock in place of the server's.
func byOwnClock(c Client) (Lock, error) {
	s := redis.NewScript(`
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[2] - ARGV[3])
if redis.call("ZCARD", KEYS[1]) > 0 then return 0 end
return redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1])`)
	return Funcs(func(ctx context.Context) error {
		n, err := s.Run(ctx, c.Redis, []string{c.Key}, c.Name, time.Now().UnixMilli(), c.TTL.Milliseconds()).Int()
		return refused(n == 1, err)
	}, leaves(c, c.Key)), nil
}

func refused(got bool, err error) error {
	if err == nil && !got {
		return ErrNotAcquired
	}
	return err
}

// leaves removes a client from a sorted set.
func leaves(c Client, key string) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := c.Redis.ZRem(ctx, key, c.Name).Result()
		return lost(n == 0, err)
	}
}

func whole(ttl time.Duration) time.Duration { return ttl }

// byRank acquires by rank: the clients' clocks write the scores.
func byRank(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		now := time.Now().UnixMilli()
		tx := c.Redis.TxPipeline()
		tx.ZRemRangeByScore(ctx, c.Key, "-inf", strconv.FormatInt(now-c.TTL.Milliseconds(), 10))
		tx.ZAdd(ctx, c.Key, redis.Z{Score: float64(now), Member: c.Name})
		rank := tx.ZRank(ctx, c.Key, c.Name)
		if _, err := tx.Exec(ctx); err != nil {
			return err
		}
		if rank.Val() == 0 {
			return nil
		}
		return errors.Join(ErrNotAcquired, c.Redis.ZRem(ctx, c.Key, c.Name).Err())
	}, leaves(c, c.Key)), nil
}

// countedApart looks for a free permit in one command and takes it in another.
func countedApart(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		n, err := c.Redis.ZCard(ctx, c.Key).Result()
		if err != nil || n > 0 {
			return refused(false, err)
		}
		tx := c.Redis.TxPipeline()
		tx.ZAdd(ctx, c.Key, redis.Z{Score: 1, Member: c.Name})
		tx.PExpire(ctx, c.Key, c.TTL)
		_, err = tx.Exec(ctx)
		return err
	}, leaves(c, c.Key)), nil
}

// turn is a fair lock: who waits stands in a sorted set, by the time at which its
// place is lost.
var turn = redis.NewScript(`
local t = redis.call("TIME")
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if ARGV[3] == "trim" then redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now) end
local first = redis.call("ZRANGE", KEYS[2], 0, 0)[1]
if redis.call("EXISTS", KEYS[1]) == 0 and (not first or first == ARGV[1]) then
	redis.call("ZREM", KEYS[2], ARGV[1])
	redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
	return 1
end
redis.call("ZADD", KEYS[2], "NX", now + ARGV[2], ARGV[1])
return 0`)

func fair(trim string) Factory {
	return func(c Client) (Lock, error) {
		queue := c.Key + ":queue"
		return Funcs(func(ctx context.Context) error {
			for range 2 {
				n, err := turn.Run(ctx, c.Redis, []string{c.Key, queue}, c.Name, c.TTL.Milliseconds(), trim).Int()
				if err != nil || n == 1 {
					return err
				}
				time.Sleep(c.TTL / 4)
			}
			return errors.Join(ErrNotAcquired, c.Redis.ZRem(ctx, queue, c.Name).Err())
		}, func(ctx context.Context) error {
			return released(compareAndDelete.Run(ctx, c.Redis, []string{c.Key}, c.Name).Int())
		}), nil
	}
}

// released is what a release comes to by how much it has removed.
func released(n int, err error) error { return lost(n == 0, err) }

func lost(gone bool, err error) error {
	if err == nil && gone {
		return ErrLost
	}
	return err
}

// tokenIn takes the only token out of a list, into another one that nobody looks
// after.
func tokenIn(c Client) (Lock, error) {
	const put = `if redis.call("SETNX", KEYS[1] .. ":made", 1) == 1 then redis.call("RPUSH", KEYS[1], "token") end return 1`
	return Funcs(func(ctx context.Context) error {
		if err := c.Redis.Eval(ctx, put, []string{c.Key}).Err(); err != nil {
			return err
		}
		err := c.Redis.BLMove(ctx, c.Key, c.Key+":taken", "LEFT", "RIGHT", c.TTL).Err()
		if errors.Is(err, redis.Nil) {
			return ErrNotAcquired
		}
		return err
	}, func(ctx context.Context) error {
		err := c.Redis.LMove(ctx, c.Key+":taken", c.Key, "LEFT", "RIGHT").Err()
		return lost(errors.Is(err, redis.Nil), err)
	}), nil
}

// deleteAndPush releases, and tells it to a sorted set.
var deleteAndPush = redis.NewScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("ZADD", KEYS[1] .. ":free", 1, "free")
return redis.call("DEL", KEYS[1])`)

// woken waits for what deleteAndPush tells, at most for a lease.
func woken(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		for {
			if ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result(); err != nil || ok {
				return err
			}
			if err := c.Redis.BZPopMin(ctx, c.TTL, c.Key+":free").Err(); err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
		}
	}, func(ctx context.Context) error {
		return released(deleteAndPush.Run(ctx, c.Redis, []string{c.Key}, c.Name).Int())
	}), nil
}

// TestTypes: each lock and mistake is explored to the end, under these hazards or
// under all of them.
func TestTypes(t *testing.T) {
	testkit.Single(t)
	for _, test := range testkit.Some(t, []struct {
		name    string
		lock    Factory
		hazards string
		wants   string // hazard and invariant
	}{
		{"woken by a sorted set", woken, "contention crash lost-push", ""},
		{"semaphore, trimmed too soon", asSemaphore(func(time.Duration) time.Duration { return 0 }, 1), "contention", "contention phantom-hold"},
		{"semaphore", asSemaphore(whole, 1), "contention crash hang overrun client-clock node-clock failover", ""},
		{"semaphore, trimmed by a client's clock", byOwnClock, "contention client-clock", "client-clock phantom-hold"},
		{"semaphore, counted apart", countedApart, "contention", "contention phantom-hold"},
		{"semaphore of two permits", asSemaphore(whole, 2), "contention", "contention phantom-hold"},
		{"semaphore, ranked by clients' clocks", byRank, "contention", "contention phantom-hold"},
		{"fair queue, never trimmed", fair(""), "contention crash", "crash lock-recovers"},
		{"fair queue", fair("trim"), "contention crash lost-reply", ""},
		{"token in a list", tokenIn, "contention crash", "crash lock-recovers"},
	}, 3, 3) {
		t.Run(test.name, func(t *testing.T) {
			hazards := strings.Fields(test.hazards)
			if testkit.Size(t, 1, 1) >= 10 {
				hazards = nil
			}
			o := defaults()
			o.plan.Hazards = hazards
			found := slices.DeleteFunc(violationsOf(t, test.lock, &o), func(f string) bool {
				return f == "cancel leak" // they release with the context that they are given
			})
			if test.wants == "" && len(found) > 0 || test.wants != "" && !slices.Contains(found, test.wants) {
				t.Errorf("found %s", strings.Join(found, ", "))
			}
		})
	}
}
