package scenarios

import (
	"errors"
	"testing"

	"lockstep/sim/live"
)

// TestStoriesOnARealServer plays every story on a Redis server of the test's
// own and holds it against the world, event by event and reply by reply.
func TestStoriesOnARealServer(t *testing.T) {
	server, err := live.Start(t.Context())
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
