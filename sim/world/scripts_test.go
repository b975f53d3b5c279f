package world_test

import (
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// TestKnownScripts: where the nodes know the scripts of a lock, none is sent again, not even that of
// a renewal, until a node forgets them; and nothing else differs.
func TestKnownScripts(t *testing.T) {
	for _, test := range []struct {
		lock, scripts, schedule string
		unknown, sent           int // replies NOSCRIPT, and EVAL
	}{
		{"set-lua", history.NoScripts, "A*9", 1, 1},
		{"set-lua", history.KnownScripts, "A*9", 0, 0},
		{"set-lua", history.KnownScripts, "flush A*9", 1, 1},
		{"watchdog-lua", history.NoScripts, "A*6 A/1*3 +2000 A/1*5", 1, 1},
		{"watchdog-lua", history.KnownScripts, "A*6 A/1*3 +2000 A/1*5", 0, 0},
		{"redlock", history.KnownScripts, "A*20", 0, 0},
	} {
		c := history.Default()
		c.Strategy, c.Scripts, c.Work = test.lock, test.scripts, 20*history.Second
		if test.lock != "watchdog-lua" {
			c.Work = 0
		}
		w := testkit.Must(world.New(c, subject(t, test.lock)))(t)
		for _, a := range testkit.Must(history.ParseSchedule(test.schedule))(t) {
			_ = w.Perform(a) // it may be done before
		}
		unknown, sent, scripted := 0, 0, 0
		for _, e := range w.History().Events {
			if e.Kind != history.Apply {
				continue
			}
			if e.Reply == "(error) NOSCRIPT No matching script. Please use EVAL." {
				unknown++
			}
			if slices.Equal(e.Cmds[0][:1], []string{"EVAL"}) {
				sent++
			}
			if e.Cmds[0][0] == "EVALSHA" {
				scripted++
			}
		}
		w.Close()
		if unknown != test.unknown || sent != test.sent || scripted == 0 {
			t.Errorf("%s, scripts=%s, %s: %d unknown, %d sent, %d by their hash; want %d and %d", test.lock, test.scripts, test.schedule, unknown, sent, scripted, test.unknown, test.sent)
		}
	}
}
