package scenarios

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

func jsonOf(t testing.TB, h history.History) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, history.WriteJSON(&b, h))
	return b.Bytes()
}

// TestSameScheduleSameBytes plays every schedule several times, with one, two and
// eight processors. A few times show a leak of time, randomness or map order.
func TestSameScheduleSameBytes(t *testing.T) {
	runs := testkit.Size(t, 1, 1)
	stories := allStories(t)
	for _, procs := range testkit.Some(t, []int{8, 1, 2}, 2, 1) {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, s := range stories {
				first := testkit.Must(Run(t.Context(), s))(t)
				want := jsonOf(t, first.History)
				for range runs {
					if got := replayBytes(t, first.History); !bytes.Equal(got, want) {
						t.Fatalf("%s: the same schedule gave another history:\n%s\n%s", s.Name, got, want)
					}
				}
			}
		})
	}
}

// replayBytes performs the schedule of a history in a new world.
func replayBytes(t testing.TB, h history.History) []byte {
	t.Helper()
	subject := testkit.Must(SubjectOf(h.Config.Strategy))(t)
	w := testkit.Must(world.New(h.Config, subject))(t)
	defer w.Close()
	testkit.OK(t, w.Run(h.Schedule))
	return jsonOf(t, w.History())
}

// TestTokenReplaysTheStory: a token leads to the same run.
func TestTokenReplaysTheStory(t *testing.T) {
	t.Parallel()
	stories := allStories(t)
	for _, s := range testkit.Some(t, stories, 33, 20) {
		result := testkit.Must(Run(t.Context(), s))(t)
		config, schedule, err := history.ParseToken(history.Token(result.History.Config, result.History.Schedule))
		if err != nil {
			t.Fatal(err)
		}
		replayed := testkit.Must(Replay(t.Context(), config, schedule))(t)
		if !bytes.Equal(jsonOf(t, replayed.History), jsonOf(t, result.History)) {
			t.Errorf("%s: its token replays another history", s.Name)
		}
	}
}

// BenchmarkStory plays whole stories, their world included: one of ten commands, and
// one with a replay and a check, which plays the schedule again for each place where
// the lock may have stopped recovering.
func BenchmarkStory(b *testing.B) {
	ten, err := Parse("ten.txt", "ten", "world strategy=set-del clients=A,B rounds=5 stock=9\n----\n\nrun A\n----\n")
	if err != nil {
		b.Fatal(err)
	}
	checked, err := Find("a_crash_between_setnx_and_expire")
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]*Story{"ten-commands": ten, "check-and-replay": checked} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
