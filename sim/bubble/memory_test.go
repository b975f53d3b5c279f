package bubble_test

import (
	"reflect"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// TestRemembering: worlds that share a memory have the histories of worlds without
// one, whether they go on alike, end early or part; and what was observed before is
// not run again.
func TestRemembering(t *testing.T) {
	info, _ := strategies.Find("zk-lock")
	plain := bubble.Subject(info)
	started := 0
	counted := plain
	counted.New = func(env strategies.Env) strategies.Lock {
		started++
		return info.New(env)
	}
	remembering := bubble.Remembering(counted)
	config := history.Default()
	config.Strategy, config.LockKey = info.ID, plain.Key
	play := func(subject program.Subject, picks string) []history.Event {
		w := testkit.Must(world.New(config, subject))(t)
		defer w.Close()
		for _, pick := range picks {
			can := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
			if len(can) == 0 {
				break
			}
			testkit.OK(t, w.Perform(can[int(pick-'0')%len(can)]))
		}
		return w.History().Events
	}
	for _, test := range []struct {
		picks string
		again bool // it is the beginning of an earlier world
	}{
		{"000001111100010101010000", false}, {"000001111100010101010000", true}, {"0000011111", true}, {"000001111111111100000000", false},
	} {
		before := started
		got := play(remembering, test.picks)
		if ran := started > before; ran == test.again {
			t.Errorf("%s: the code ran %d times", test.picks, started-before)
		}
		if want := play(plain, test.picks); len(want) < 15 || !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %v\nwant %v", test.picks, got, want)
		}
	}
}
