package explore

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// TestLocksThatTellApart: a lock that goes by its client's name or by the order of names,
// or lets a server do so, is found out, and learned again with its clients apart. Each of
// these leaks under one name only, or in one order.
func TestLocksThatTellApart(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]func(context.Context, strategies.Env) error{
		"by its name": func(ctx context.Context, e strategies.Env) error {
			if e.Name == "B" {
				e.Redis.Get(ctx, "elsewhere")
			}
			return simtest.Take(ctx, e, e.Token())
		},
		"by the length of the work of one of them": func(ctx context.Context, e strategies.Env) error {
			if e.Name == "B" {
				_ = e.Clock.Sleep(ctx, time.Second)
			}
			return simtest.Take(ctx, e, e.Token())
		},
		"by the order of names": func(ctx context.Context, e strategies.Env) error {
			owner := e.Redis.Get(ctx, e.Key).Val()
			if owner != "" && owner < e.Name {
				return strategies.ErrNotAcquired
			}
			return simtest.Take(ctx, e, e.Token())
		},
		"by what a server sorts": func(ctx context.Context, e strategies.Env) error {
			e.Redis.SAdd(ctx, "waiting", e.Name)
			if first := e.Redis.SMembers(ctx, "waiting").Val(); len(first) == 0 || first[0] != e.Name {
				return strategies.ErrNotAcquired
			}
			return simtest.Take(ctx, e, e.Token())
		},
		"by what a script compares": func(ctx context.Context, e strategies.Env) error {
			const script = `if redis.call('GET', KEYS[2]) and redis.call('GET', KEYS[2]) < ARGV[1] then return redis.call('GET', KEYS[1]) end
				redis.call('SET', KEYS[2], ARGV[1]) return 0`
			e.Redis.Eval(ctx, script, []string{"elsewhere", "last"}, e.Name)
			return simtest.Take(ctx, e, e.Token())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := FindHazard("contention")
			together, apart := both(t, makes(lock), h, 100_000)
			if n := together.report.Merging.Clients; n != 1 {
				t.Errorf("%d clients are taken for each other", n)
			}
			if apart.report.Limit != "" || !together.report.sameFindings(&apart.report) || together.states.len() != apart.states.len() {
				t.Errorf("%s %s with %d states; --exact %s with %d", together.report.Limit, costs(together.report), together.states.len(), costs(apart.report), apart.states.len())
			}
			if _, same := bisimilar(t, together, apart); !same {
				t.Error("what may happen differs from --exact")
			}
		})
	}
}

// TestWhoIsKeptApart: clients that differ by more than their names, or by names that do not
// fit in where another stood, are not taken for each other.
func TestWhoIsKeptApart(t *testing.T) {
	l := lockOf(t, "set-lua")
	h, _ := FindHazard("contention")
	for name, tt := range map[string]struct {
		clients []string
		change  func(*history.Config, *program.Subject)
		alike   int
	}{
		"two":                        {[]string{"A", "B"}, nil, 2},
		"three":                      {[]string{"A", "B", "C"}, nil, 3},
		"long names":                 {[]string{"ann", "bob"}, nil, 2},
		"one":                        {[]string{"A"}, nil, 1},
		"names of different lengths": {[]string{"A", "BB"}, nil, 1},
		"names that are two words":   {[]string{"A-1", "A-2"}, nil, 1},
		"a lease of its own":         {[]string{"A", "B"}, func(_ *history.Config, s *program.Subject) { s.TTL = map[string]history.Millis{"A": 1} }, 1},
		"goroutines of one process":  {[]string{"A", "B"}, func(c *history.Config, _ *program.Subject) { c.Process = history.Shared }, 1},
	} {
		config, subject := h.Config(l, tt.clients...), l.Subject
		if tt.change != nil {
			tt.change(&config, &subject)
		}
		m := model.New(t.Context(), config, subject, false)
		if m.Circle() != tt.alike {
			t.Errorf("%s: %d are taken for each other, want %d", name, m.Circle(), tt.alike)
		}
		m.Close()
	}
}

// TestNextIsTheSame: after each client got the name of the next, whatever a client could do
// the next client can do, to the same effect.
func TestNextIsTheSame(t *testing.T) {
	t.Parallel()
	for _, info := range strategies.Catalogue() {
		if info.ZooKeeper {
			continue
		}
		l := lockOf(t, info.ID)
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			compared := 0
			for _, id := range []string{"contention", "overrun", "late-request", "failover", "lost-push", "partition"} {
				h, _ := FindHazard(id)
				for _, clients := range [][]string{{"A", "B"}, {"A", "B", "C"}} {
					h.Bounds.States = testkit.Size(t, 5000, 600*(4-len(clients)))
					m := model.New(t.Context(), h.Config(l, clients...), l.Subject, false)
					compared += compareNext(t, newSearch(t.Context(), m, h.Bounds, Options{}), h.ID)
					m.Close()
				}
			}
			if compared < 1000 {
				t.Errorf("only %d transitions compared", compared)
			}
		})
	}
}

// compareNext compares the transitions of all states of a search with those of each state
// after the first rotation.
func compareNext(t *testing.T, e *search, hazard string) (compared int) {
	t.Helper()
	defer e.stop()
	if err := e.run(); err != nil {
		t.Fatal(err)
	}
	if e.Circle() < 2 {
		t.Errorf("%s: the clients are kept apart", hazard)
	}
	// offered lists what a state offers, and what that leads to, under names some places on.
	offered := func(s state, by int) map[string]string {
		all := map[string]string{}
		for _, faulty := range []bool{false, true} {
			next, err := e.successors(s, faulty)
			if err != nil {
				t.Fatal(err)
			}
			for i := range next {
				to := e.follow(s, &next[i], faulty)
				e.rotate(to, by)
				a := e.renamed(e.Action(next[i].action), by)
				all[a.String()+" "+a.Node] = keyOf(to) + idsOf(next[i].violates)
			}
		}
		return all
	}
	for i := range e.states.shards {
		for place := range e.states.shards[i].n {
			s := e.states.at(uint32(i)<<shardShift | place)
			want := offered(s, 1)
			e.rotate(s, 1)
			got := offered(s, 0)
			for a := range want {
				if got[a] != want[a] {
					t.Errorf("%s: %s leads elsewhere under another name, or is not possible", hazard, a)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d actions, and %d under other names", hazard, len(want), len(got))
			}
			compared += len(want)
		}
	}
	return compared
}

// TestNondeterministicIsNotAsymmetric: code that nobody can repeat is no code that tells
// its clients apart.
func TestNondeterministicIsNotAsymmetric(t *testing.T) {
	n := 0
	_, err := contend(t, makes(func(ctx context.Context, e strategies.Env) error {
		n++
		return simtest.Take(ctx, e, n)
	}))
	if !errors.Is(err, program.ErrNondeterministic) || strings.Contains(err.Error(), "apart") {
		t.Error(err)
	}
}

// TestAQuietDifference: clients that differ only where the code of one has never run are
// told apart before anything is found in the real world.
func TestAQuietDifference(t *testing.T) {
	t.Parallel()
	l := makes(func(ctx context.Context, e strategies.Env) error { return simtest.Take(ctx, e, e.Token()) })
	l.Subject.New = func(e strategies.Env) strategies.Lock { return quiet{e} }
	foundApart(t, l, "crash")
}

// A quiet lock of B forgets to unlock, once it was refused.
type quiet struct{ strategies.Env }

func (q quiet) Lock(ctx context.Context) (strategies.Grant, error) {
	ok, err := q.Redis.SetNX(ctx, q.Key, q.Name, 0).Result()
	if err == nil && !ok {
		q.Redis.Get(ctx, q.Key)
		err = strategies.ErrNotAcquired
	}
	if q.Name == "B" && err != nil {
		q.Redis.Set(ctx, q.Key, "for good", 0)
	}
	return strategies.Grant{}, err
}

func (q quiet) Unlock(ctx context.Context, _ strategies.Grant) error {
	return q.Redis.Del(ctx, q.Key).Err()
}

// foundApart explores a lock whose clients differ, and compares with --exact.
func foundApart(t *testing.T, l Lock, hazard string, clients ...string) {
	t.Helper()
	h, _ := FindHazard(hazard)
	together, apart := both(t, l, h, 100_000, clients...)
	if n := together.report.Merging.Clients; n != 1 {
		t.Errorf("%d clients are taken for each other", n)
	}
	if len(apart.report.Found) == 0 || !together.report.sameFindings(&apart.report) {
		t.Errorf("%s %s, and apart %s", together.report.Limit, costs(together.report), costs(apart.report))
	}
	if _, same := bisimilar(t, together, apart); !same {
		t.Error("what may happen differs from --exact")
	}
}

// TestOneRemembers: a client that alone remembers the order of its threads is found out,
// among clients that are taken for each other and among others.
func TestOneRemembers(t *testing.T) {
	t.Parallel()
	for _, clients := range [][]string{{"A", "B"}, {"A", "BB"}} {
		for _, name := range clients {
			foundApart(t, Lock{"rememberer", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock {
				return &rememberer{Env: e, lock: func(ctx context.Context, r *rememberer) error {
					var passed atomic.Bool
					r.Go("other", func() {
						if r.Redis.Get(ctx, "elsewhere"); !passed.Load() && r.Name == name {
							r.mark.Store(true)
						}
					})
					r.Redis.Get(ctx, "anywhere")
					passed.Store(true)
					return simtest.Take(ctx, r.Env, r.Token())
				}}
			}}}, "contention", clients...)
		}
	}
}

// TestADifferenceOnTheWayToRecovery: clients that differ only in code that runs when it is
// asked whether the lock recovers are told apart too, and the real world does not
// contradict the search.
func TestADifferenceOnTheWayToRecovery(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"A", "B"} {
		foundApart(t, Lock{"stealer", program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return stealer{e, name} }}}, "crash")
	}
}

// A stealer waits while it is refused. After a while, one client takes the lock away.
type stealer struct {
	strategies.Env
	thief string
}

func (s stealer) Lock(ctx context.Context) (strategies.Grant, error) {
	s.TTL = 0 // of the key: it does not expire
	err := simtest.Take(ctx, s.Env, s.Name)
	for i := 0; errors.Is(err, strategies.ErrNotAcquired) && i < 20; i++ {
		_ = s.Clock.Sleep(ctx, time.Second)
		if i > 10 && s.Name == s.thief {
			s.Redis.Del(ctx, s.Key)
		}
		err = simtest.Take(ctx, s.Env, s.Name)
	}
	return strategies.Grant{}, err
}

func (s stealer) Unlock(ctx context.Context, _ strategies.Grant) error {
	return s.Redis.Del(ctx, s.Key).Err()
}

// TestNamesThatAreCommands: a name that is a word of each command stands where no other
// name can.
func TestNamesThatAreCommands(t *testing.T) {
	t.Parallel()
	foundApart(t, makes(func(ctx context.Context, e strategies.Env) error {
		_, err := e.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, e.Key, e.Token(), 0).Err() })
		return err
	}), "contention", "EXEC", "OTHR")
}

// TestOneSpins: a client that spins is told apart from one that does the same for a while.
func TestOneSpins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"A", "B"} {
		foundApart(t, makes(func(ctx context.Context, e strategies.Env) error {
			e.TTL = 0 // the key does not expire
			err := simtest.Take(ctx, e, e.Token())
			for rounds := 0; errors.Is(err, strategies.ErrNotAcquired) && (e.Name != name || rounds < 50); rounds++ {
				err = simtest.Take(ctx, e, e.Name)
			}
			return err
		}), "crash")
	}
}
