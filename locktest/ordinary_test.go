package locktest

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/program"

	"lockstep/locktest/testdata/ordinary/afterfunc"
	"lockstep/locktest/testdata/ordinary/atleast"
	"lockstep/locktest/testdata/ordinary/backoff"
	"lockstep/locktest/testdata/ordinary/baredel"
	"lockstep/locktest/testdata/ordinary/beginning"
	"lockstep/locktest/testdata/ordinary/checkset"
	"lockstep/locktest/testdata/ordinary/clocktoken"
	"lockstep/locktest/testdata/ordinary/connects"
	"lockstep/locktest/testdata/ordinary/countertoken"
	"lockstep/locktest/testdata/ordinary/counts"
	"lockstep/locktest/testdata/ordinary/delifeq"
	"lockstep/locktest/testdata/ordinary/digest"
	"lockstep/locktest/testdata/ordinary/errtext"
	"lockstep/locktest/testdata/ordinary/fence"
	"lockstep/locktest/testdata/ordinary/functions"
	"lockstep/locktest/testdata/ordinary/getdel"
	"lockstep/locktest/testdata/ordinary/getex"
	"lockstep/locktest/testdata/ordinary/getset"
	"lockstep/locktest/testdata/ordinary/group"
	"lockstep/locktest/testdata/ordinary/hashnx"
	"lockstep/locktest/testdata/ordinary/hostpid"
	"lockstep/locktest/testdata/ordinary/hsetex"
	"lockstep/locktest/testdata/ordinary/ifeq"
	"lockstep/locktest/testdata/ordinary/impatient"
	"lockstep/locktest/testdata/ordinary/jsonvalue"
	"lockstep/locktest/testdata/ordinary/keyspace"
	"lockstep/locktest/testdata/ordinary/leader"
	"lockstep/locktest/testdata/ordinary/leasevalue"
	"lockstep/locktest/testdata/ordinary/loads"
	"lockstep/locktest/testdata/ordinary/localdeadline"
	"lockstep/locktest/testdata/ordinary/logs"
	"lockstep/locktest/testdata/ordinary/maporder"
	"lockstep/locktest/testdata/ordinary/overwrite"
	"lockstep/locktest/testdata/ordinary/permits"
	"lockstep/locktest/testdata/ordinary/pipeget"
	"lockstep/locktest/testdata/ordinary/pipeset"
	"lockstep/locktest/testdata/ordinary/polls"
	"lockstep/locktest/testdata/ordinary/prefix"
	"lockstep/locktest/testdata/ordinary/pttl"
	"lockstep/locktest/testdata/ordinary/publish"
	"lockstep/locktest/testdata/ordinary/queue"
	"lockstep/locktest/testdata/ordinary/quorum"
	"lockstep/locktest/testdata/ordinary/readside"
	"lockstep/locktest/testdata/ordinary/rearmed"
	"lockstep/locktest/testdata/ordinary/renamenx"
	"lockstep/locktest/testdata/ordinary/replicas"
	"lockstep/locktest/testdata/ordinary/requestctx"
	"lockstep/locktest/testdata/ordinary/resurrect"
	"lockstep/locktest/testdata/ordinary/seconds"
	"lockstep/locktest/testdata/ordinary/seeded"
	"lockstep/locktest/testdata/ordinary/setget"
	"lockstep/locktest/testdata/ordinary/setxx"
	"lockstep/locktest/testdata/ordinary/subscribes"
	"lockstep/locktest/testdata/ordinary/ticker"
	"lockstep/locktest/testdata/ordinary/ticket"
	"lockstep/locktest/testdata/ordinary/tombstone"
	"lockstep/locktest/testdata/ordinary/tracking"
	"lockstep/locktest/testdata/ordinary/trylock"
	"lockstep/locktest/testdata/ordinary/twokeys"
	"lockstep/locktest/testdata/ordinary/universal"
	"lockstep/locktest/testdata/ordinary/verify"
	"lockstep/locktest/testdata/ordinary/withlock"
	"lockstep/locktest/testdata/ordinary/zkexample"
)

// An ordinaryLock is a lock as one of many people writes it, a package of its own below
// testdata/ordinary. The comment of the package says what is right to say of it, and why.
type ordinaryLock struct {
	name string // the package, and what is special in this row
	make Factory
	opts []Option
	// says is what is right under a hazard: nothing if the lock holds, an invariant that is
	// violated, or a part of the sentence for which there is no verdict, after "refused: ".
	says verdicts
	more verdicts // that take long
	// right says that it is a right lock, of which no other hazard may say anything else.
	right bool
	// never is an invariant that no schedule violates, not even an allowed one, or how a hint
	// begins that is not given.
	never string
}

type verdicts = map[Hazard]string

// What is not an invariant.
const (
	holds   = ""
	vacuous = "VACUOUS" // the hazard is not for it
)

// all returns the same verdict under some hazards.
func all(says string, hazards ...Hazard) verdicts {
	v := verdicts{}
	for _, h := range hazards {
		v[h] = says
	}
	return v
}

// held makes a lock of a function that acquires and returns what releases.
func held(acquire func(ctx context.Context) (release func(context.Context) error, err error)) Lock {
	var release func(context.Context) error
	return Funcs(func(ctx context.Context) error {
		r, err := acquire(ctx)
		if err == nil {
			release = r
		}
		return err
	}, func(ctx context.Context) error { return release(ctx) })
}

// ordinaryLocks are first those of the false verdicts that were seen, in their order, then
// variations.
var ordinaryLocks = []ordinaryLock{
	{"baredel", func(c Client) (Lock, error) { return baredel.New(c.Redis, c.Key, c.TTL), nil },
		[]Option{RefusedBy(baredel.ErrLocked)},
		verdicts{Overrun: "foreign-release", NodeRestart: "foreign-release", Hang: holds}, nil, false, ""},
	{"overwrite", func(c Client) (Lock, error) {
		l := overwrite.Lock{Client: c.Redis, Key: c.Key, Worker: c.Name, TTL: c.TTL}
		return Funcs(l.Acquire, l.Release), nil
	}, []Option{LostBy(overwrite.ErrGone)},
		all("phantom-hold", Contention, Hang, Overrun, NodeRestart), all("phantom-hold", ClientClock, NodeClock, Eviction, Failover), false, ""},
	{"beginning", func(c Client) (Lock, error) {
		l := beginning.New(c.Redis, c.Name)
		return held(func(ctx context.Context) (func(context.Context) error, error) { return l.Obtain(ctx, c.Key, c.TTL) }), nil
	}, []Option{RefusedBy(beginning.ErrNotObtained)},
		all("phantom-hold", Contention, Hang, Overrun, NodeRestart), all("phantom-hold", ClientClock, NodeClock, Eviction, Failover), false, ""},
	{"prefix", func(c Client) (Lock, error) { return prefix.New(c.Redis, c.Key, c.TTL), nil },
		[]Option{RefusedBy(prefix.ErrTaken), LostBy(prefix.ErrLost)}, all(holds, Contention, Overrun), nil, true, ""},
	{"publish", func(c Client) (Lock, error) {
		l := publish.NewRedisLock(c.Redis, c.Key, c.TTL)
		return Funcs(l.Acquire, l.Release), nil
	}, []Option{RefusedBy(publish.ErrBusy)}, all(holds, Failover), all(holds, LateRequest), true, ""},
	{"counts", func(c Client) (Lock, error) {
		s, owner := counts.Store{Client: c.Redis}, ""
		return Funcs(func(ctx context.Context) error {
			mine := rand.Text()
			err := s.TryLock(ctx, c.Key, mine, c.TTL)
			if err == nil {
				owner = mine
			}
			return err
		}, func(ctx context.Context) error { return s.Unlock(ctx, c.Key, owner) }), nil
	}, []Option{RefusedBy(counts.ErrHeld), LostBy(counts.ErrNotOwner)}, all(holds, Failover), all(holds, LateRequest), true, ""},
	{"errtext", worded(false), []Option{RefusedBy(errtext.ErrAcquire)}, all(holds, LostReply), all(holds, LateRequest, Partition), true, ""},
	{"errtext, an error of its own", worded(true), []Option{RefusedBy(errtext.ErrAcquire)}, all(holds, Partition), all(holds, LostReply), true, ""},
	{"logs, a bool", func(c Client) (Lock, error) {
		l := logging(c)
		return Funcs(tries(l), NoResult(l.Release)), nil
	}, nil, all(holds, LostReply), all(holds, LateRequest, Partition), true, ""},
	{"logs, nothing", func(c Client) (Lock, error) {
		l := logging(c)
		return Funcs(tries(l), NoResult(l.Unlock)), nil
	}, nil, all(holds, Partition), all(holds, LostReply), true, ""},
	{"withlock", func(c Client) (Lock, error) {
		return With(func(ctx context.Context, f func(context.Context) error) error {
			_, err := withlock.Do(ctx, c.Redis, c.Key, c.TTL, func(ctx context.Context) (bool, error) { return true, f(ctx) })
			return err
		}), nil
	}, []Option{RefusedBy(withlock.ErrNotAcquired)}, all(holds, LostReply), all(holds, LateRequest, Partition), true, ""},
	{"polls", func(c Client) (Lock, error) { return polls.New(c.Redis, c.Key, c.TTL), nil }, nil, all(holds, Contention, Reentry), nil, true, ""},
	{"subscribes", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			return subscribes.Lock(ctx, c.Redis, c.Key, c.TTL)
		}), nil
	}, []Option{LostBy(subscribes.ErrLost)}, all(holds, Contention, Reentry), nil, true, ""},
	{"ticker", func(c Client) (Lock, error) { return &ticker.Mutex{Client: c.Redis, Name: c.Key, TTL: c.TTL}, nil },
		[]Option{RefusedBy(ticker.ErrTaken), LostBy(ticker.ErrLost)}, verdicts{Contention: holds, ClientClock: holds, LongWork: holds, Hang: "lock-recovers"}, all(holds, Crash, LostReply, LateRequest, NodeRestart, NodeClock, Eviction, Failover, Partition, Cancel), false, ""},
	{"ifeq", func(c Client) (Lock, error) { return &ifeq.L{Client: c.Redis, Key: c.Key, TTL: c.TTL}, nil },
		[]Option{RefusedBy(ifeq.ErrLocked), LostBy(ifeq.ErrExpired)}, all(holds, Contention), verdicts{Overrun: holds, LostReply: holds, Cancel: "leak"}, true, ""},
	{"digest", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l, err := digest.Acquire(ctx, c.Redis, c.Key, c.TTL)
			return l.Release, err
		}), nil
	}, []Option{RefusedBy(digest.ErrLocked)}, all(holds, Contention), all(holds, Overrun), true, ""},
	{"delifeq", func(c Client) (Lock, error) {
		l := delifeq.New(c.Redis, c.Key, c.TTL)
		return Funcs(l.TryLock, l.Unlock), nil
	}, []Option{RefusedBy(delifeq.ErrTaken)}, all(holds, Contention), all(holds, Overrun), true, ""},
	{"tracking", func(c Client) (Lock, error) { return &tracking.T{R: c.Redis, Key: c.Key, TTL: c.TTL}, nil }, nil,
		all("refused: CLIENT TRACKING is not simulated", Contention), nil, false, ""},
	// These two are VIOLATED, and one sentence says that Check may not fit: see TestNotExclusive.
	{"permits", func(c Client) (Lock, error) {
		s := &permits.Semaphore{RDB: c.Redis, Key: c.Key, Permits: 2, TTL: c.TTL}
		return Funcs(s.Acquire, s.Release), nil
	}, []Option{RefusedBy(permits.ErrFull)}, all("phantom-hold", Contention), nil, false, ""},
	{"readside", func(c Client) (Lock, error) {
		m := readside.New(c.Redis, c.Key, c.TTL)
		return Funcs(m.RLock, m.RUnlock), nil
	}, []Option{RefusedBy(readside.ErrWriting)}, all("phantom-hold", Contention), nil, false, ""},
	{"clocktoken, milliseconds", byClock(time.Millisecond), []Option{RefusedBy(clocktoken.ErrTaken)},
		verdicts{Contention: holds, Overrun: "equal-tokens"}, nil, false, ""},
	{"clocktoken, nanoseconds", byClock(time.Nanosecond), []Option{RefusedBy(clocktoken.ErrTaken)},
		verdicts{Overrun: "equal-tokens"}, nil, false, ""},
	{"zkexample", func(c Client) (Lock, error) { return zkexample.New(c.ZooKeeper, c.Key), nil }, []Option{ZooKeeper("/lock")},
		all(holds, Contention), all("lock-recovers", LostReply), false, ""},
	{"trylock", func(c Client) (Lock, error) {
		return trylock.NewMutex(c.Redis, c.Key, c.TTL, trylock.WithTries(1)), nil
	},
		[]Option{RefusedBy(trylock.ErrFailed)}, all(holds, LostReply), all(holds, Contention), true, "look at the token"},

	{"setget", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l, err := setget.Acquire(ctx, c.Redis, c.Key, c.TTL)
			return l.Release, err
		}), nil
	}, []Option{RefusedBy(setget.ErrHeldByOther), LostBy(setget.ErrNotHeld)}, all(holds, Contention), all(holds, Overrun, LostReply), true, ""},
	{"hashnx", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			o, err := hashnx.Own(ctx, c.Redis, c.Key, c.TTL)
			return o.Disown, err
		}), nil
	}, []Option{RefusedBy(hashnx.ErrOwned)}, all(holds, Contention, Crash), all(holds, Overrun), true, ""},
	{"hsetex", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l, err := hsetex.Acquire(ctx, c.Redis, c.Key, c.TTL)
			return l.Release, err
		}), nil
	}, []Option{RefusedBy(hsetex.ErrTaken), LostBy(hsetex.ErrLost)}, all(holds, Contention, Crash), all(holds, Overrun), true, ""},
	{"hsetex, commit", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l, err := hsetex.Acquire(ctx, c.Redis, c.Key, c.TTL)
			return l.Commit, err
		}), nil
	}, []Option{RefusedBy(hsetex.ErrTaken), LostBy(hsetex.ErrLost)}, verdicts{Contention: holds, NodeRestart: "foreign-renewal"}, verdicts{Eviction: "foreign-renewal"}, false, ""},
	{"renamenx", func(c Client) (Lock, error) {
		f := &renamenx.File{Client: c.Redis, Name: c.Key, TTL: c.TTL}
		return Funcs(f.Create, f.Remove), nil
	}, []Option{RefusedBy(renamenx.ErrExists)}, all(holds, Contention, Crash, LostReply), nil, true, ""},
	{"pipeget", func(c Client) (Lock, error) { return pipeget.New(c.Redis, c.Key, pipeget.TTL(c.TTL)), nil },
		[]Option{RefusedBy(pipeget.ErrContended), LostBy(pipeget.ErrContended)}, all(holds, Contention), all(holds, Overrun), true, ""},
	{"pttl", func(c Client) (Lock, error) { return pttl.New(c.Redis, c.Key, c.TTL, 2*c.TTL), nil },
		[]Option{RefusedBy(pttl.ErrTimeout)}, all(holds, Contention, Crash, Reentry), nil, true, ""},
	{"verify", func(c Client) (Lock, error) {
		g := verify.New(c.Redis, c.Key, c.TTL)
		return Funcs(g.Enter, g.Leave), nil
	}, []Option{RefusedBy(verify.ErrConflict), LostBy(verify.ErrConflict)}, all(holds, LostReply), all(holds, LateRequest), true, ""},
	{"fence", func(c Client) (Lock, error) { return fence.New(c.Redis, c.Key, c.TTL), nil },
		[]Option{RefusedBy(fence.ErrTaken)}, all(holds, Overrun), all(holds, Contention), true, "stale-write"},
	{"afterfunc", func(c Client) (Lock, error) {
		l := &watched{}
		l.lock = held(func(ctx context.Context) (func(context.Context) error, error) {
			lease, until, err := afterfunc.Acquire(ctx, c.Redis, c.Key, c.TTL)
			if err == nil {
				l.until = until
			}
			return lease.Release, err
		})
		return l, nil
	}, []Option{RefusedBy(afterfunc.ErrTaken)}, all(holds, Hang), all(holds, Contention, LongWork), true, ""},
	{"leasevalue", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			table := leasevalue.Table{DB: c.Redis}
			holder, err := table.Lease(ctx, c.Key, c.TTL)
			return NoResult(func(ctx context.Context) bool {
				ended, err := table.End(ctx, c.Key, holder)
				return ended && err == nil
			}), err
		}), nil
	}, []Option{RefusedBy(leasevalue.ErrLeased)}, all(holds, Contention, Overrun, Crash, ClientClock, NodeClock), nil, false, ""},
	{"jsonvalue", func(c Client) (Lock, error) { return jsonvalue.New(c.Redis, c.Key, c.Name, c.TTL), nil },
		[]Option{RefusedBy(jsonvalue.ErrTaken)}, all(holds, Contention, LongWork), nil, false, ""},
	{"atleast", atLeast, []Option{RefusedBy(atleast.ErrRunning)}, all("leak", Contention), nil, false, ""},
	{"atleast, as it is meant", atLeast, []Option{RefusedBy(atleast.ErrRunning), Allow(Leak, "a job runs once a second at most", Contention)},
		verdicts{Contention: holds, LongWork: vacuous}, nil, false, ""},
	{"tombstone", func(c Client) (Lock, error) {
		s := tombstone.NewSlot(c.Redis, c.Key, c.TTL)
		return Funcs(s.Take, s.Free), nil
	}, []Option{RefusedBy(tombstone.ErrInUse), LostBy(tombstone.ErrInUse)}, all("refused: lock:stock is still there after a release", Contention), nil, false, ""},
	{"keyspace", func(c Client) (Lock, error) { return keyspace.New(c.Redis, c.Key, c.TTL), nil }, nil,
		all("refused: SUBSCRIBE __keyspace@0__:lock:stock is not simulated", Contention), nil, false, ""},
	{"replicas", func(c Client) (Lock, error) { return replicas.New(c.Redis, c.Key, c.TTL, 1), nil }, nil,
		all("refused: WAIT is not simulated", Contention), nil, false, ""},
	{"functions", func(c Client) (Lock, error) { return functions.New(c.Redis, c.Key, c.TTL), nil }, nil,
		all("refused: FCALL is not simulated", Contention), nil, false, ""},
	{"ticket", func(c Client) (Lock, error) { return ticket.New(c.Redis, c.Key), nil }, nil,
		all("refused: lock:stock:ticket is still there after a release", Contention), nil, false, ""},

	{"countertoken", func(c Client) (Lock, error) { return countertoken.New(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(countertoken.ErrTaken)},
		verdicts{Contention: holds, NodeRestart: "equal-tokens"}, verdicts{Overrun: holds, Eviction: holds, Failover: "equal-tokens"}, false, ""},
	{"getset", func(c Client) (Lock, error) { return getset.New(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(getset.ErrHeld)},
		verdicts{Contention: "foreign-renewal", Overrun: "foreign-renewal"}, nil, false, ""},
	{"getdel", func(c Client) (Lock, error) { return getdel.New(c.Redis, c.Key, c.TTL), nil },
		[]Option{RefusedBy(getdel.ErrTaken), LostBy(getdel.ErrStolen)}, verdicts{Contention: holds, Overrun: "foreign-release"}, nil, false, ""},
	{"checkset", func(c Client) (Lock, error) {
		j := checkset.New(c.Redis, c.Key)
		return Funcs(func(ctx context.Context) error { return j.Begin(ctx, c.TTL) }, j.End), nil
	}, []Option{RefusedBy(checkset.ErrBusy)}, all("phantom-hold", Contention), nil, false, ""},
	{"localdeadline", func(c Client) (Lock, error) {
		return &localdeadline.Lock{Redis: c.Redis, Key: c.Key, TTL: c.TTL}, nil
	}, []Option{RefusedBy(localdeadline.ErrTaken), LostBy(localdeadline.ErrExpired)},
		verdicts{Contention: holds, Overrun: "leak", ClientClock: "leak"}, nil, false, ""},
	{"getex", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			s, err := getex.Begin(ctx, c.Redis, c.Key, c.TTL)
			return s.End, err
		}), nil
	}, []Option{RefusedBy(getex.ErrTaken), LostBy(getex.ErrLost)}, verdicts{Contention: holds, NodeRestart: "foreign-renewal", LongWork: vacuous}, verdicts{Overrun: holds, Eviction: "foreign-renewal"}, false, ""},
	{"setxx", func(c Client) (Lock, error) { return setxx.New(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(setxx.ErrTaken)},
		all("foreign-release", Overrun), all(holds, Contention, LongWork), false, ""},
	{"impatient", func(c Client) (Lock, error) { return impatient.New(c.Redis, c.Key, c.TTL), nil },
		[]Option{RefusedBy(impatient.ErrAlive)}, all("phantom-hold", Contention), nil, false, ""},
	{"seconds", func(c Client) (Lock, error) { return seconds.NewMutex(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(seconds.ErrLocked)},
		verdicts{Contention: holds, Crash: "lock-recovers"}, nil, false, ""},
	{"maporder", func(c Client) (Lock, error) { return maporder.New(c.Redis, c.Key, c.TTL, false), nil },
		[]Option{RefusedBy(maporder.ErrTaken)}, all(holds, Contention), nil, false, ""}, // after a crash the probe draws with each try
	{"maporder, keeps", func(c Client) (Lock, error) { return maporder.New(c.Redis, c.Key, c.TTL, true), nil },
		[]Option{RefusedBy(maporder.ErrTaken)}, all("self-deadlock", Contention), nil, false, ""},
	{"seeded", func(c Client) (Lock, error) {
		l := seeded.New(c.Redis)
		return Funcs(func(ctx context.Context) error { return l.Lock(ctx, c.Key, c.TTL) }, func(ctx context.Context) error { return l.Unlock(ctx, c.Key) }), nil
	}, []Option{RefusedBy(seeded.ErrTaken)}, verdicts{Contention: holds, Overrun: "equal-tokens"}, nil, false, ""},
	{"requestctx", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			h, err := requestctx.Lock(ctx, c.Redis, c.Key, c.TTL)
			return h.Unlock, err
		}), nil
	}, []Option{RefusedBy(requestctx.ErrTaken)}, verdicts{Contention: holds, LongWork: "phantom-hold"}, nil, false, ""},
	{"resurrect", func(c Client) (Lock, error) { return resurrect.New(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(resurrect.ErrTaken)},
		verdicts{Contention: holds, Cancel: "leak"}, nil, false, ""},
	{"rearmed", func(c Client) (Lock, error) { return rearmed.New(c.Redis, c.Key, c.TTL), nil }, []Option{RefusedBy(rearmed.ErrTaken)},
		all("lock-recovers", Cancel), all(holds, Contention), false, ""},
	{"permits, one", func(c Client) (Lock, error) {
		s := &permits.Semaphore{RDB: c.Redis, Key: c.Key, Permits: 1, TTL: c.TTL}
		return Funcs(s.Acquire, s.Release), nil
	}, []Option{RefusedBy(permits.ErrFull)}, all(holds, Contention, Crash), all(holds, Overrun), true, ""},
	{"queue, a board", func(c Client) (Lock, error) {
		b := queue.NewBoard(c.Redis, c.Key)
		return Funcs(b.Enter, b.Leave), nil
	}, []Option{RefusedBy(queue.ErrNotFirst)}, verdicts{Contention: holds, Crash: "lock-recovers"}, nil, false, ""},
	{"universal", func(c Client) (Lock, error) {
		g := universal.NewGuard(c.Redis, c.TTL, func(name string) string { return name })
		return Funcs(func(ctx context.Context) error { return g.Acquire(ctx, c.Key) }, func(ctx context.Context) error { return g.Release(ctx, c.Key) }), nil
	}, []Option{RefusedBy(universal.ErrBusy), LostBy(universal.ErrNotMine)}, all(holds, Contention, Crash), all(holds, Overrun), true, ""},
	{"group", func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l, err := group.Take(ctx, c.Redis, c.Key, c.TTL)
			return l.End, err
		}), nil
	}, []Option{RefusedBy(group.ErrTaken), LostBy(group.ErrGone)}, verdicts{Contention: holds, Hang: "lock-recovers"}, all(holds, Crash, LongWork), false, ""},
	{"leader", func(c Client) (Lock, error) {
		e := &leader.Election{Redis: c.Redis, Key: c.Key, ID: c.Name, Term: c.TTL}
		return With(e.Campaign), nil
	}, []Option{RefusedBy(leader.ErrFollower)}, verdicts{Contention: holds, Hang: "lock-recovers"}, all(holds, Crash, LongWork), false, ""},
	{"twokeys", func(c Client) (Lock, error) { return twokeys.New(c.Redis, c.Key, c.Name, c.TTL), nil },
		[]Option{RefusedBy(twokeys.ErrNotFree), LostBy(twokeys.ErrNotOwner)}, all(holds, Contention, Crash), all(holds, Overrun), true, ""},
	{"pipeset", func(c Client) (Lock, error) { return &pipeset.Lock{C: c.Redis, Key: c.Key, TTL: c.TTL}, nil },
		[]Option{RefusedBy(pipeset.ErrLocked)}, all("foreign-renewal", Contention), nil, false, ""},
	{"hostpid", func(c Client) (Lock, error) { return hostpid.New(c.Redis, c.Key, c.Name, 1, c.TTL), nil },
		[]Option{RefusedBy(hostpid.ErrAlreadyLocked)}, all(holds, Contention, Crash), all(holds, Overrun), false, ""},
	{"backoff", func(c Client) (Lock, error) {
		return backoff.New(c.Redis, c.Key, c.TTL, backoff.Tries(2), backoff.Base(50*time.Millisecond)), nil
	}, []Option{RefusedBy(backoff.ErrGaveUp)}, all(holds, Contention), all(holds, Crash, Overrun), true, ""},
	{"connects", func(c Client) (Lock, error) { return connects.New(context.Background(), c.Redis, c.Key, c.TTL) },
		[]Option{RefusedBy(connects.ErrTaken)}, all(holds, Contention, LostReply), all(holds, Crash, Partition, ScriptFlush), true, ""},
	{"loads", func(c Client) (Lock, error) { return loads.New(context.Background(), c.Redis, c.Key, c.TTL) }, []Option{RefusedBy(loads.ErrTaken)},
		verdicts{Contention: holds, ScriptFlush: "leak"}, verdicts{LateRequest: holds, NodeRestart: "leak"}, false, ""},
	{"quorum", func(c Client) (Lock, error) {
		m := &quorum.Mutex{Nodes: c.Nodes, Key: c.Key, TTL: c.TTL}
		return Funcs(m.Lock, m.Unlock), nil
	}, []Option{Nodes(3), RefusedBy(quorum.ErrNoQuorum)},
		all(holds, Contention), all(holds, Crash, Hang, LostReply), false, ""},
}

func atLeast(c Client) (Lock, error) {
	j := atleast.New(c.Redis, c.Key)
	return Funcs(func(ctx context.Context) error { return j.Start(ctx, c.TTL) }, j.Done), nil
}

// worded makes a lock of package errtext, with a token for each acquisition.
func worded(own bool) Factory {
	return func(c Client) (Lock, error) {
		return held(func(ctx context.Context) (func(context.Context) error, error) {
			l := errtext.New(c.Redis, c.Key, rand.Text(), c.TTL, own)
			return l.Unlock, l.Lock(ctx)
		}), nil
	}
}

func logging(c Client) *logs.Locker {
	return &logs.Locker{Redis: c.Redis, Key: c.Key, TTL: c.TTL, Log: slog.New(slog.DiscardHandler)}
}

func tries(l *logs.Locker) func(context.Context) error {
	return func(ctx context.Context) error {
		if !l.TryLock(ctx) {
			return ErrNotAcquired
		}
		return nil
	}
}

func byClock(unit time.Duration) Factory {
	return func(c Client) (Lock, error) {
		return &clocktoken.Lock{Redis: c.Redis, Key: c.Key, TTL: c.TTL, Unit: unit}, nil
	}
}

// watched is a Watcher.
type watched struct {
	lock  Lock
	until context.Context
}

func (w *watched) Lock(ctx context.Context) error   { return w.lock.Lock(ctx) }
func (w *watched) Unlock(ctx context.Context) error { return w.lock.Unlock(ctx) }

func (w *watched) Context() context.Context { return w.until }

// TestOrdinary: what is said of an ordinary lock is so.
func TestOrdinary(t *testing.T) {
	testkit.Single(t)
	bubble.Seed() // as a lock's process does
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	for _, row := range ordinaryLocks {
		t.Run(row.name, func(t *testing.T) {
			o := defaults()
			for _, opt := range row.opts {
				opt(&o)
			}
			o.settle()
			for _, h := range explore.Hazards() {
				is := hazardOf(h.ID)
				_, quick := row.says[is]
				_, slow := row.more[is]
				if quick || (slow || row.right) && testkit.Size(t, 1, 1) >= 4 {
					o.plan.Hazards = append(o.plan.Hazards, h.ID)
				}
			}
			all, subject := tryHere(t, row.make, &o)
			for _, r := range all {
				if wrong := row.wrong(r); wrong != "" {
					t.Errorf("%s: %s", r.Hazard, wrong)
				}
				for _, f := range r.Found {
					if f.Allowed != "" && subject.Server == sim.Redis && !strings.Contains(row.name, "as it is meant") {
						needsCause(t, subject, r, f)
					}
				}
			}
			for _, hint := range trial.Hints(all) {
				if row.never != "" && strings.HasPrefix(hint.String(), row.never) {
					t.Errorf("a hint: %s", hint)
				}
			}
		})
	}
}

// tryHere tries a lock in this process, after the probes. An undecided hazard is no error.
func tryHere(t *testing.T, f Factory, o *options) (all []*trial.Report, _ program.Subject) {
	t.Helper()
	subject, host := o.plan.Subject(bubble.Start), here{says: &o.says}
	subject.New = f.build(o)
	subject, host.traits, _ = probed(subject)
	tr := trial.New(t.Context(), o.plan, time.Duration(testkit.Size(t, 2, 2))*time.Minute, "ordinary", subject)
	defer tr.Close()
	tr.Host = &host
	for _, h := range o.plan.Under() {
		all = append(all, tr.Try(t.Context(), h))
	}
	return all, subject
}

// hazardOf is the hazard with an id.
func hazardOf(id string) Hazard {
	return Hazard(slices.IndexFunc(explore.Hazards(), func(h explore.Hazard) bool { return h.ID == id }))
}

// wrong compares a report with what is right; "" if that is so.
func (row *ordinaryLock) wrong(r *trial.Report) string {
	says, quick := row.says[hazardOf(r.Hazard)]
	more, slow := row.more[hazardOf(r.Hazard)]
	says = cmp.Or(says, more)
	came := []string{string(r.Verdict), r.Reason}
	var violated []string
	for _, f := range r.Found {
		if f.Allowed == "" {
			violated = append(violated, f.Invariant)
			came = append(came, f.Text(nil, "lockstep check"))
		}
		if f.Invariant == row.never && (quick || slow) {
			return fmt.Sprintf("%s is violated, allowed or not: %s", f.Invariant, f.Token)
		}
	}
	sentence, refused := strings.CutPrefix(says, "refused: ")
	var right bool
	switch {
	case refused:
		right = r.Verdict == explore.Inconclusive && violated == nil && strings.Contains(r.Reason, sentence)
	case says == holds:
		right = r.Passes() && violated == nil && (r.Reason == "" || !quick && !slow)
	case says == vacuous:
		right = r.Verdict == explore.Vacuous
	default:
		right = slices.Contains(violated, says)
	}
	if right {
		return ""
	}
	return fmt.Sprintf("want %q, got %q", says, violated) + "\n" + strings.Join(came, "\n")
}
