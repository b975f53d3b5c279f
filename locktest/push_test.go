package locktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/explore"
)

// A waitingLock waits for a message of its holder, or for an element of a list,
// in one of the ways in which Go code does.
type waitingLock struct {
	Client
	how   waiting
	token string
}

type waiting string

const (
	byChannel  waiting = "Channel of go-redis, after the confirmation"
	byTimeout  waiting = "ReceiveTimeout, and a context with a deadline"
	byBLPop    waiting = "BLPop"
	forgotten  waiting = "a subscription that is never closed"
	naive      waiting = "a subscription after the refusal"
	unanswered waiting = "a second look before the confirmation"
)

var deleteAndTell = redis.NewScript(`
if redis.call("get", KEYS[1]) == ARGV[1] then
	redis.call("del", KEYS[1])
	redis.call("publish", KEYS[1] .. ":free", "")
	return 1
end
return 0`)

func waitsBy(how waiting) Factory {
	return func(c Client) (Lock, error) { return &waitingLock{Client: c, how: how, token: c.Name}, nil }
}

func (l *waitingLock) try(ctx context.Context) (bool, error) {
	return l.Redis.SetNX(ctx, l.Key, l.token, l.TTL).Result()
}

func (l *waitingLock) Lock(ctx context.Context) error {
	for {
		if ok, err := l.try(ctx); err != nil || ok {
			return err
		}
		if ok, err := l.wait(ctx); err != nil || ok {
			return err
		}
	}
}

// wait waits until it is worth while to try again, or acquires.
func (l *waitingLock) wait(ctx context.Context) (acquired bool, err error) {
	if l.how == byBLPop {
		err := l.Redis.BLPop(ctx, l.TTL, l.Key+":free").Err()
		if errors.Is(err, redis.Nil) {
			err = nil
		}
		return false, err
	}
	free := l.Redis.Subscribe(ctx, l.Key+":free")
	if l.how != forgotten {
		defer free.Close()
	}
	switch l.how {
	case naive:
		_, err := free.ReceiveMessage(ctx)
		return false, err
	case unanswered:
		if ok, err := l.try(ctx); err != nil || ok {
			return ok, err
		}
		select {
		case <-free.Channel():
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	if _, err := free.Receive(ctx); err != nil { // the confirmation
		return false, err
	}
	if ok, err := l.try(ctx); err != nil || ok {
		return ok, err
	}
	switch l.how {
	case byTimeout:
		soon, cancel := context.WithTimeout(ctx, l.TTL)
		defer cancel()
		_, err := free.ReceiveTimeout(soon, 2*l.TTL)
		var late interface{ Timeout() bool }
		if errors.As(err, &late) && late.Timeout() {
			err = nil
		}
		return false, err
	default:
		select {
		case <-free.Channel():
		case <-time.After(l.TTL):
		}
		return false, nil
	}
}

func (l *waitingLock) Unlock(ctx context.Context) error {
	if l.how == byBLPop {
		n, err := compareAndDelete.Run(ctx, l.Redis, []string{l.Key}, l.token).Int()
		if err == nil && n == 0 {
			return ErrLost
		}
		if err == nil {
			err = l.Redis.RPush(ctx, l.Key+":free", "").Err()
		}
		return err
	}
	return released(deleteAndTell.Run(ctx, l.Redis, []string{l.Key}, l.token).Int())
}

// tried returns what a trial finds under a hazard, with the number of states.
func tried(t *testing.T, how waiting, hazard string) (found []string, size string) {
	t.Helper()
	tr := trialHere(t, waitsBy(how))
	tr.Plan.Hazards = []string{hazard}
	for _, h := range tr.Plan.Under() {
		r := tr.Try(t.Context(), h)
		if r.Verdict == explore.Inconclusive {
			t.Errorf("%s: %s", r.Hazard, r.Reason)
		}
		size = fmt.Sprint(r.Verdict, " ", r.Extent())
		for _, v := range r.Found {
			if v.Allowed == "" {
				found = append(found, v.Invariant)
				size += " " + v.Invariant + " " + v.Token
			}
		}
	}
	return found, size
}

// TestWaitingLocks: what waits for a message is explored to the end, and a
// wake-up that can be lost is found, each time with as many states.
func TestWaitingLocks(t *testing.T) {
	for _, test := range []struct {
		how    waiting
		hazard string
		wants  string
	}{
		{naive, "contention", "lost-wakeup"},
		{unanswered, "contention", "lost-wakeup"},
		{byChannel, "contention", ""},
		{byChannel, "lost-push", ""},
		{byTimeout, "contention", ""},
		{byTimeout, "lost-push", ""},
		{byBLPop, "contention", ""},
		{byBLPop, "crash", ""},
		{forgotten, "contention", ""},
		{byChannel, "node-restart", ""},
		{byChannel, "partition", ""},
	} {
		t.Run(string(test.how)+", "+test.hazard, func(t *testing.T) {
			if testkit.Raced && test.how != naive { // the same code at a tenth of the speed
				t.Skip("without the race detector")
			}
			began := time.Now()
			found, size := tried(t, test.how, test.hazard)
			t.Log(size, time.Since(began).Round(time.Millisecond))
			if got := strings.Join(found, " "); got != test.wants {
				t.Errorf("found %q", got)
			}
			for n := range testkit.Size(t, 1, 1) - 1 {
				before := runtime.GOMAXPROCS(1 + n%2)
				again, size2 := tried(t, test.how, test.hazard)
				runtime.GOMAXPROCS(before)
				if !slices.Equal(again, found) || size2 != size {
					t.Fatalf("again:\n%s\n%s", size2, size)
				}
			}
		})
	}
}
