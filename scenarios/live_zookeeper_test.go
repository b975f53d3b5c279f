package scenarios

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/live"
)

// TestStoriesOnARealZooKeeper plays stories on a ZooKeeper that it starts and
// compares them with the world, event by event.
func TestStoriesOnARealZooKeeper(t *testing.T) {
	t.Parallel()
	stories := map[string][]string{
		"pause":       {"world strategy=zk-sequential clients=A,B stock=2", "run A until=in-critical", "run B until=before:receive", "pause A", "advance 8s", "run B until=in-critical", "run A", "run B", "check", "replay strategy=zk-lock", "replay strategy=set-lua"},
		"crash":       {"world strategy=zk-sequential-fenced clients=A,B stock=2", "run A until=in-critical", "run B", "crash A", "advance 10s", "run B", "check"},
		"herd":        {"world strategy=zk-herd clients=A,B,C,D stock=2", "run A until=in-critical", "run B", "run C", "run D", "run A", "run C", "check"},
		"lost_reply":  {"world strategy=zk-unprotected clients=A,B stock=2", "run A until=before:create", "lose reply A/2", "run A", "run B", "advance 8s", "run A", "check"},
		"late":        {"world strategy=zk-ephemeral clients=A,B stock=2", "run A until=in-critical", "run B", "pause A", "advance 3s", "keys", "advance 5s", "run B until=in-critical", "run A", "run B", "check"},
		"hours":       {"world strategy=zk-lock clients=A,B", "run A until=in-critical", "advance 2h", "run A", "check"},
		"hang":        {"world strategy=zk-lock clients=A,B stock=2", "run A until=in-critical", "run B", "hang A", "advance 60s", "check"},
		"blind":       {"world strategy=zk-blind clients=A,B stock=2", "run A until=in-critical", "run B until=before:exists", "run A", "run B", "check"},
		"cut":         {"world strategy=zk-ephemeral clients=A,B stock=2", "run A until=in-critical", "run B", "cut A r1", "advance 7s", "run B", "heal A r1", "run A", "check"},
		"last_moment": {"world strategy=zk-sequential clients=A,B", "run A until=in-critical", "pause A", "advance 5995ms", "run B until=in-critical", "advance 5ms"},
		"two_end":     {"world strategy=zk-lock clients=A,B,C,D stock=2", "run A until=in-critical", "run B", "run C", "run D", "crash A", "crash B", "advance 9s", "run C", "run D", "check"},
	}
	for _, name := range testkit.Some(t, slices.Sorted(maps.Keys(stories)), 2, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := onRealZooKeeper(t, stories[name])
			compare(t, r, err)
		})
	}
}

// serverPlaces bounds how many ZooKeepers run at a time: more are too slow to prove
// anything.
var serverPlaces = make(chan bool, 2)

// onRealZooKeeper plays the commands of a story on a ZooKeeper, or skips the test.
func onRealZooKeeper(t *testing.T, lines []string) (*LiveResult, error) {
	s := parsed(t, strings.Join(lines, "\n----\n\n")+"\n----\n")
	serverPlaces <- true
	r, err := RunLive(t.Context(), s, s.Strategy(), nil)
	<-serverPlaces
	if errors.Is(err, live.ErrNoZooKeeper) {
		t.Skip(err)
	}
	return r, err
}

// TestNotOnZooKeeper: what a real ZooKeeper cannot do is refused with its reason.
func TestNotOnZooKeeper(t *testing.T) {
	t.Parallel()
	const world = "world strategy=zk-sequential clients=A,B"
	refused := map[string][]string{
		"a change of the leader":            {world, "run A until=in-critical", "restart r1"},
		"the clock of a server":             {world, "clock r1 +1s"},
		"a follower that lags":              {world + " lag=1", "run A until=in-critical"},
		"not on a real server: a change of": {world, "down r1"},
	}
	for _, want := range testkit.Some(t, slices.Sorted(maps.Keys(refused)), 2, 2) {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			var not *live.RefusedError
			if _, err := onRealZooKeeper(t, refused[want]); !errors.As(err, &not) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}
