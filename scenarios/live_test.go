package scenarios

import (
	"errors"
	"strings"
	"testing"

	"lockstep/sim/live"
)

// TestStoriesOnARealServer plays every story on a Redis server of the test's
// own and holds it against the world, event by event and reply by reply.
func TestStoriesOnARealServer(t *testing.T) {
	server, err := live.Start(t.Context(), live.Fleeting)
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	stories, err := Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r, err := RunLive(t.Context(), s, s.Strategy(), []*live.Server{server})
			var not *NotLiveError
			switch {
			case errors.As(err, &not):
				t.Skip(err)
			case err != nil:
				t.Fatal(err)
			case r.TooBusy():
				t.Skipf("this machine is too busy: real time was %v ahead in run %d", r.Drift, r.Runs)
			case r.Difference != "":
				t.Errorf("lease %v, drift %v: %s", r.Lease, r.Drift, r.Difference)
			}
			commands, replies := r.Commands()
			t.Logf("the same: %d commands, %d replies, lease %v, drift %v, run %d", commands, replies, r.Lease, r.Drift, r.Runs)
		})
	}
}

// TestNodeFaultsOnARealServer: a server that is killed and started again, with
// its data and without, one that is away for a time, and a replica that takes
// over while it lags.
func TestNodeFaultsOnARealServer(t *testing.T) {
	server, err := live.Start(t.Context(), live.Fleeting)
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	for name, text := range map[string]string{
		"restart": "world strategy=set-lua clients=A,B ttl=5s stock=2\nrun A until=after:read\nrestart r1\nrun B\nrun A\ncheck",
		"wipe":    "world strategy=set-lua clients=A,B ttl=5s stock=2\nrun A until=after:read\nwipe r1\nrun B\nrun A\ncheck",
		"scripts": "world strategy=set-lua clients=A,B ttl=5s stock=2\nrun B\nrestart r1\nrun A\ncheck",
		"down":    "world strategy=set-lua clients=A,B ttl=5s stock=2\nrun A until=after:read\ndown r1\nadvance 6s\nrun B\nup r1\nrun A\ncheck",
		"one of three": "world strategy=redlock clients=A,B ttl=5s nodes=3\nrun A until=after:read\nwipe r1\nwipe r2\nrun B\nrun A\n" +
			"keys\ncheck\nreplay strategy=redlock-naive",
		"failover": "world strategy=set-lua clients=A,B ttl=5s stock=2 lag=1\nrun A until=after:read\npromote r1 missing=1\nrun B until=after:read\n" +
			"run A\nrun B\ncheck",
		"failover with data": "world strategy=set-lua clients=A,B ttl=5s rounds=2 stock=4 lag=1\nrun A until=released\n" +
			"run A until=before:read\npromote r1 missing=1\nrun B\nrun A\ncheck",
		"a failover brings a lock back": "world strategy=set-lua clients=A,B ttl=5s stock=4 lag=2\nrun A until=released\n" +
			"promote r1 missing=1\nrun B\nkeys\nadvance expiry\ncheck",
		"watched":   "world strategy=watch-del clients=A,B ttl=3s stock=2\nrun A until=after:WATCH\nrestart r1\nrun A\nrun B\ncheck",
		"slow, cut": "world strategy=set-lua clients=A,B ttl=5s stock=2\nslow r1\nrun A\nfast r1\nlate A\ncut B r1\nrun B\ncheck",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Parse("test", "a_test", strings.ReplaceAll(text, "\n", "\n----\n\n")+"\n----\n")
			if err != nil {
				t.Fatal(err)
			}
			r, err := RunLive(t.Context(), s, s.Strategy(), []*live.Server{server})
			switch {
			case err != nil:
				t.Fatal(err)
			case r.TooBusy():
				t.Skipf("this machine is too busy: real time was %v ahead in run %d", r.Drift, r.Runs)
			case r.Difference != "":
				t.Errorf("lease %v, drift %v: %s", r.Lease, r.Drift, r.Difference)
			}
			commands, replies := r.Commands()
			t.Logf("the same: %d commands, %d replies, lease %v, drift %v, run %d", commands, replies, r.Lease, r.Drift, r.Runs)
		})
	}
}
