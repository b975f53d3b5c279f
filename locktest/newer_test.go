package locktest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
)

// sends is a lock with a token of its own, of three commands: one acquires it, one renews it
// before the work, unless it is "", and one releases it. TTL is that of the lease.
func sends(acquire, renew, release string) Factory {
	return func(c Client) (Lock, error) {
		var token string
		send := func(ctx context.Context, text, token string) *redis.Cmd {
			digest := ""
			if strings.Contains(text, "DIGESTED") { // by the server, once it has the value
				digest = fmt.Sprintf("%016x", c.Redis.Digest(ctx, c.Key).Val())
			}
			var words []any
			for _, word := range strings.Fields(text) {
				switch word {
				case "KEY":
					words = append(words, c.Key)
				case "TOKEN":
					words = append(words, token)
				case "TTL":
					words = append(words, c.TTL.Milliseconds())
				case "DIGESTED":
					words = append(words, digest)
				case "FIELD":
					words = append(words, comparesField)
				case "SCRIPT":
					words = append(words, logsItsLoss)
				default:
					words = append(words, word)
				}
			}
			return c.Redis.Do(ctx, words...)
		}
		// done reports whether a command did anything: its reply, or the first of a list, is neither 0 nor nil.
		done := func(reply *redis.Cmd) (bool, error) {
			if errors.Is(reply.Err(), redis.Nil) {
				return false, nil
			}
			val := reply.Val()
			if list, ok := val.([]any); ok && len(list) > 0 {
				val = list[0]
			}
			n, _ := val.(int64)
			return reply.Err() == nil && (n > 0 || val == "OK"), reply.Err()
		}
		return Funcs(func(ctx context.Context) error {
			mine := rand.Text()
			for _, text := range []string{acquire, renew} {
				if text == "" {
					continue
				}
				if got, err := done(send(ctx, text, mine)); err != nil {
					return err
				} else if !got {
					return ErrNotAcquired
				}
			}
			token = mine
			return nil
		}, func(ctx context.Context) error {
			ours, err := done(send(ctx, release, token))
			if err == nil && !ours {
				return ErrLost
			}
			return err
		}), nil
	}
}

// logsItsLoss compares and deletes, and tells a stream if the lock was another's.
const logsItsLoss = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return redis.call('XADD', 'losses', '*', 'who', ARGV[1])`

// comparesField deletes the only field of a hash, if it has the token.
const comparesField = `return redis.call('HGET', KEYS[1], 'owner') == ARGV[1] and redis.call('HDEL', KEYS[1], 'owner') or 0`

// TestNewerCommands: a lock that compares by a command of Redis 8.4 or Valkey 9.0 is as right
// as one with a script; one that does not compare is as wrong. What it sends and a node does
// not have ends its Check by name, under the first hazard that comes to it.
func TestNewerCommands(t *testing.T) {
	testkit.Single(t)
	const setNX, hsetEX = "SET KEY TOKEN NX PX TTL", "HSETEX KEY FNX PX TTL FIELDS 1 owner TOKEN"
	for _, row := range testkit.Some(t, []struct {
		name                    string
		acquire, renew, release string
		wants                   string // what violates, or what is not simulated; "" if it holds
		skipped                 int    // hazards that are not tried
	}{
		{"Redis", setNX, "SET KEY TOKEN IFEQ TOKEN PX TTL", "DELEX KEY IFEQ TOKEN", "", 0},
		{"Valkey", setNX, "SET KEY TOKEN PX TTL IFEQ TOKEN", "DELIFEQ KEY TOKEN", "", 0},
		{"several keys", "MSETEX 1 KEY TOKEN NX PX TTL", "", "DELIFEQ KEY TOKEN", "", 0},
		{"a digest of whatever is there", setNX, "", "DELEX KEY IFDEQ DIGESTED", "overrun foreign-release", 0},
		{"a field", hsetEX, "HPEXPIRE KEY TTL FIELDS 1 owner", "EVAL FIELD 1 KEY TOKEN", "", 0},
		{"a field, and nothing compares", hsetEX, "", "HDEL KEY owner", "overrun foreign-release", 0},
		{"a field, and its deadline is dropped", hsetEX, "HMSET KEY owner TOKEN", "EVAL FIELD 1 KEY TOKEN", "crash lock-recovers", 0},
		{"a field beside one that stays", hsetEX, "HINCRBY KEY fence 1", "EVAL FIELD 1 KEY TOKEN", "HSETEX, HGETEX and HPEXPIRE are simulated where", 5},
		{"tracking", setNX, "CLIENT TRACKING ON", "DELEX KEY IFEQ TOKEN", "CLIENT TRACKING is not simulated", 5},
		{"an option", "SET KEY TOKEN NX PX TTL IFFY", "", "DEL KEY", "SET ... IFFY is not simulated", 5},
		{"a command of a script that time alone brings", setNX, "", "EVAL SCRIPT 1 KEY TOKEN", "XADD is not simulated", 3},
		{"no such words in any version", "SETNX KEY TOKEN PX TTL", "", "DEL KEY", "contention lock-recovers", 0},
	}, 4, 4) {
		t.Run(row.name, func(t *testing.T) {
			o := defaults()
			o.plan.Hazards = []string{"contention", "crash", "overrun", "lost-reply", "node-restart", "eviction"}
			var found []string
			skipped := 0
			all, _ := tryHere(t, sends(row.acquire, row.renew, row.release), &o)
			for _, r := range all {
				for _, v := range r.Found {
					if v.Allowed == "" {
						found = append(found, r.Hazard+" "+v.Invariant)
					}
				}
				switch {
				case r.Skipped:
					skipped++
				case r.Verdict == "INCONCLUSIVE":
					found = append(found, r.Reason)
				}
			}
			if row.wants == "" && found != nil || row.wants != "" && (found == nil || !strings.HasPrefix(found[0], row.wants)) {
				t.Errorf("found %q, want %q", found, row.wants)
			}
			if skipped != row.skipped || skipped > 0 && len(found) > 1 {
				t.Errorf("%d hazards are left out, want %d; found %q", skipped, row.skipped, found)
			}
		})
	}
}
