package strategies

import (
	"errors"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
)

// What each lock sends when A acquires a free lock, B is refused, and A
// releases: the commands of the catalogue, each script with what it calls.
var conversations = map[string]struct{ acquire, refused, release []string }{
	"setnx": {
		acquire: []string{"SETNX lock:stock 1"},
		refused: []string{"SETNX lock:stock 1"},
		release: []string{"DEL lock:stock"},
	},
	"setnx-expire": {
		acquire: []string{"SETNX lock:stock A-1", "EXPIRE lock:stock 9"},
		refused: []string{"SETNX lock:stock B-1"},
		release: []string{"DEL lock:stock"},
	},
	"multi-setnx-expire": {
		acquire: []string{"MULTI", "SETNX lock:stock A-1", "EXPIRE lock:stock 9", "EXEC"},
		refused: []string{"MULTI", "SETNX lock:stock B-1", "EXPIRE lock:stock 9", "EXEC"},
		release: []string{"DEL lock:stock"},
	},
	"getset-timestamp": {
		acquire: []string{"SETNX lock:stock 1767268873000"},
		refused: []string{"SETNX lock:stock 1767268873000", "GET lock:stock"},
		release: []string{"DEL lock:stock"},
	},
	"set-del": {
		acquire: []string{"SET lock:stock A-1 EX 9 NX"},
		refused: []string{"SET lock:stock B-1 EX 9 NX"},
		release: []string{"DEL lock:stock"},
	},
	"get-then-del": {
		acquire: []string{"SET lock:stock A-1 EX 9 NX"},
		refused: []string{"SET lock:stock B-1 EX 9 NX"},
		release: []string{"GET lock:stock", "DEL lock:stock"},
	},
	"set-lua": {
		acquire: []string{"SET lock:stock A-1 NX PX 9000"},
		refused: []string{"SET lock:stock B-1 NX PX 9000"},
		release: compareAndDelete("A-1"),
	},
	"watch-del": {
		acquire: []string{"SETNX lock:stock A-1", "EXPIRE lock:stock 9"},
		refused: []string{"SETNX lock:stock B-1"},
		release: []string{"WATCH lock:stock", "GET lock:stock", "MULTI", "DEL lock:stock", "EXEC"},
	},
	"weak-token": {
		acquire: []string{"SET lock:stock 6956620000000 EX 9 NX"},
		refused: []string{"SET lock:stock 6956620000000 EX 9 NX"},
		release: []string{"GET lock:stock", "DEL lock:stock"},
	},
	"reentrant-counter": {
		acquire: []string{"SET lock:stock 1 EX 9 NX"},
		refused: []string{"SET lock:stock 1 EX 9 NX"},
		release: []string{"DEL lock:stock"},
	},
	"reentrant-leak": {
		acquire: []string{"SET lock:stock 1 EX 9 NX"},
		refused: []string{"SET lock:stock 1 EX 9 NX"},
	},
	"reentrant-misprint": {},
	"watchdog-naive": {
		acquire: []string{"SETNX lock:stock A-1", "EXPIRE lock:stock 9"},
		refused: []string{"SETNX lock:stock B-1"},
		release: []string{"WATCH lock:stock", "GET lock:stock", "MULTI", "DEL lock:stock", "EXEC"},
	},
	"redlock-naive": {
		acquire: onEach("SET lock:stock A-1 NX EX 9000"),
		refused: append(onEach("SET lock:stock B-1 NX EX 9000"), onEach("DEL lock:stock")...),
		release: onEach("GET lock:stock"), // B has deleted them all
	},
	"delex-ifeq": {
		acquire: []string{"SET lock:stock A-1 NX PX 9000"},
		refused: []string{"SET lock:stock B-1 NX PX 9000"},
		release: []string{"DELEX lock:stock IFEQ A-1"},
	},
	"set-get-idempotent": {
		acquire: []string{
			"EVALSHA script 1 lock:stock A-1 9000", "EVAL script 1 lock:stock A-1 9000",
			"GET lock:stock", "SET lock:stock A-1 NX PX 9000",
		},
		refused: []string{"EVALSHA script 1 lock:stock B-1 9000", "GET lock:stock", "SET lock:stock B-1 NX PX 9000"},
		release: compareAndDelete("A-1"),
	},
	"reentrant-hash": {
		acquire: []string{
			"EVALSHA script 1 lock:stock A-1 9000", "EVAL script 1 lock:stock A-1 9000",
			"EXISTS lock:stock", "HINCRBY lock:stock A-1 1", "PEXPIRE lock:stock 9000",
		},
		refused: []string{"EVALSHA script 1 lock:stock B-1 9000", "EXISTS lock:stock", "HEXISTS lock:stock B-1"},
		release: []string{
			"EVALSHA script 1 lock:stock A-1 9000", "EVAL script 1 lock:stock A-1 9000",
			"HEXISTS lock:stock A-1", "HINCRBY lock:stock A-1 -1", "DEL lock:stock",
		},
	},
	"watchdog-lua": {
		acquire: []string{"SET lock:stock A-1 NX PX 9000"},
		refused: []string{"SET lock:stock B-1 NX PX 9000"},
		release: compareAndDelete("A-1"),
	},
	"redlock": {
		acquire: onEach("SET lock:stock A-1 NX PX 9000"),
		refused: append(onEach("SET lock:stock B-1 NX PX 9000"), onEach(
			"EVALSHA script 1 lock:stock B-1", "EVAL script 1 lock:stock B-1", "GET lock:stock")...),
		release: onEach("EVALSHA script 1 lock:stock A-1", "GET lock:stock", "DEL lock:stock"),
	},
	"fenced": {
		acquire: []string{
			"EVALSHA script 2 lock:stock lock:stock:fence A-1 9000", "EVAL script 2 lock:stock lock:stock:fence A-1 9000",
			"SET lock:stock A-1 NX PX 9000", "INCR lock:stock:fence",
		},
		refused: []string{"EVALSHA script 2 lock:stock lock:stock:fence B-1 9000", "SET lock:stock B-1 NX PX 9000"},
		release: compareAndDelete("A-1"),
	},
	"pubsub-wakeup": {
		acquire: []string{"SET lock:stock A-1 NX PX 9000"},
		release: deleteAndPublish("A-1"),
	},
	"list-semaphore": {
		acquire: []string{"SET lock:stock:made 1 NX", "RPUSH lock:stock element", "BLPOP lock:stock 9"},
		release: []string{"RPUSH lock:stock element"},
	},
	"pubsub-timed": {
		acquire: []string{"SET lock:stock A-1 NX PX 9000"},
		release: deleteAndPublish("A-1"),
	},
	"optimistic-version": {},
}

func deleteAndPublish(token string) []string {
	return append(compareAndDelete(token), "PUBLISH lock:stock:free ")
}

// compareAndDelete is a script that the node does not know yet.
func compareAndDelete(token string) []string {
	return []string{
		"EVALSHA script 1 lock:stock " + token, "EVAL script 1 lock:stock " + token,
		"GET lock:stock", "DEL lock:stock",
	}
}

// onEach is what goes to five nodes, one after the other.
func onEach(commands ...string) (all []string) {
	for _, node := range []string{"r1", "r2", "r3", "r4", "r5"} {
		for _, cmd := range commands {
			all = append(all, node+" "+cmd)
		}
	}
	return all
}

func TestCommands(t *testing.T) {
	admitsAll := []string{"reentrant-misprint", "optimistic-version"}
	waits := []string{"pubsub-wakeup", "list-semaphore", "pubsub-timed"} // stories show them
	for _, info := range Catalogue() {
		if info.ZooKeeper {
			continue // zk_test.go
		}
		t.Run(info.ID, func(t *testing.T) {
			want, ok := conversations[info.ID]
			if !ok {
				t.Fatal("no conversation for this lock")
			}
			r := newRig(t, info.Nodes)
			a, b := info.New(r.env()), info.New(r.env())

			g := mustLock(t, a)
			mustSend(t, "acquire", r.sent(), want.acquire...)

			var err error
			if !slices.Contains(waits, info.ID) {
				_, err = b.Lock(t.Context())
			}
			if !slices.Contains(waits, info.ID) && slices.Contains(admitsAll, info.ID) != (err == nil) || err != nil && !errors.Is(err, ErrNotAcquired) {
				t.Errorf("second client: %v", err)
			}
			mustSend(t, "refused acquire", r.sent(), want.refused...)

			err = a.Unlock(t.Context(), g)
			switch info.ID {
			case "redlock-naive":
				mustFail(t, "release", err, ErrLost)
			case "reentrant-leak":
				if err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrUnknown) {
					t.Errorf("release: %v, want a plain failure", err)
				}
			default:
				mustFail(t, "release", err, nil)
			}
			mustSend(t, "release", r.sent(), want.release...)
			if len(r.clock.slept) > 0 {
				t.Errorf("slept %v: without Env.Wait there is one attempt", r.clock.slept)
			}
		})
	}
}

// TestWatchDelLeavesItsWatch: a key that has vanished is a reply that is nil, and stays
// watched.
func TestWatchDelLeavesItsWatch(t *testing.T) {
	r := newRig(t, 1)
	e := r.env() // with one pooled connection
	a := &WatchDel{e}
	g := mustLock(t, a)
	r.nodes[0].Del(key)
	r.sent()
	if err := a.Unlock(t.Context(), g); !errors.Is(err, redis.Nil) {
		t.Errorf("Unlock: %v, want the bare nil reply as an error", err)
	}
	mustSend(t, "Unlock", r.sent(), "WATCH lock:stock", "GET lock:stock")

	mustLock(t, a) // changes the key that is still watched
	_, err := e.Redis.TxPipelined(t.Context(), func(tx redis.Pipeliner) error {
		return tx.Get(t.Context(), "unrelated").Err()
	})
	mustFail(t, "the next transaction on this connection", err, redis.TxFailedErr)
}
