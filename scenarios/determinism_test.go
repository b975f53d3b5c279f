package scenarios

import (
	"bytes"
	"runtime"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

func jsonOf(t testing.TB, h history.History) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, history.WriteJSON(&b, h))
	return b.Bytes()
}

// TestSameScheduleSameBytes plays every schedule several times from its token, with one, eight and two
// processors. A few times show a leak of time, randomness or map order.
func TestSameScheduleSameBytes(t *testing.T) {
	runs := testkit.Size(t, 1, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, s := range allStories(t) {
		first := testkit.Must(Run(t.Context(), s))(t)
		config, schedule, err := history.ParseToken(history.Token(first.History.Config, first.History.Schedule))
		testkit.OK(t, err)
		want := jsonOf(t, first.History)
		for n := range runs {
			runtime.GOMAXPROCS([]int{1, 8, 2}[n%3])
			again := testkit.Must(Replay(t.Context(), config, schedule))(t)
			if got := jsonOf(t, again.History); !bytes.Equal(got, want) {
				t.Fatalf("%s: the same schedule gave another history:\n%s\n%s", s.Name, got, want)
			}
		}
	}
}
