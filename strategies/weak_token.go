package strategies

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// WeakToken makes its token from the clock, as PHP's uniqid does, and compares
// it as PHP's == does.
//
// Claim:  "The time in microseconds is unique, so it can serve as a token."
// Breaks: two clients in the same microsecond have the same token.
// See:    stories/two_clients_draw_the_same_id.txt
// Fix:    set-lua
type WeakToken struct{ Env }

func (l *WeakToken) Lock(ctx context.Context) (Grant, error) {
	now := l.Clock.Now()
	// BUG(lesson): eight hex digits of seconds, five of microseconds, nothing random.
	token := fmt.Sprintf("%08x%05x", now.Unix(), now.Nanosecond()/1000)
	deadline := now.Unix() + int64(l.Wait.Seconds())
	pause := 0.2 // seconds
	for {
		ok, err := l.Redis.SetNX(ctx, l.Key, token, l.TTL).Result()
		if err != nil {
			return Grant{}, outcome(err)
		}
		if ok {
			return Grant{Token: token}, nil
		}
		if l.Clock.Now().Unix() >= deadline {
			return Grant{}, ErrNotAcquired
		}
		// BUG(lesson): the fraction is cut off before it is multiplied: no pause.
		if err := l.Clock.Sleep(ctx, time.Duration(pause)*time.Second); err != nil {
			return Grant{}, err
		}
	}
}

func (l *WeakToken) Unlock(ctx context.Context, g Grant) error {
	holder, err := l.Redis.Get(ctx, l.Key).Result()
	if errors.Is(err, redis.Nil) {
		return ErrLost
	}
	if err != nil {
		return outcome(err)
	}
	if !looselyEqual(holder, g.Token) {
		return ErrLost
	}
	// BUG(lesson): a second command; the holder may have changed since GET.
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err != nil {
		return outcome(err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

// looselyEqual takes strings that read as numbers for numbers. A token is hex,
// so one whose only letter is an e reads as a float: "6956620000e10" and
// "695662000e011" are drawn 54 ms apart: two tokens, loosely equal.
func looselyEqual(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	// BUG(lesson): two tokens are not equal because two numbers are.
	return a == b || errX == nil && errY == nil && x == y
}
