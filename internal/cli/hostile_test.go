package cli

import (
	"context"
	"os"
	"os/signal"
	"time"

	"lockstep/scenarios"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A hostile lock does what no lock may: what it is made of never comes to the
// seam, ends the process, or never lets anybody in.
type hostile struct{ lock func(context.Context) error }

func (h hostile) Lock(ctx context.Context) (strategies.Grant, error) {
	return strategies.Grant{}, h.lock(ctx)
}

func (hostile) Unlock(context.Context, strategies.Grant) error { return nil }

// lockstepWithHostileLocks is the program with locks that only a test has, and
// little patience.
func lockstepWithHostileLocks() {
	patience, err := time.ParseDuration(os.Getenv("LOCKSTEP_TEST_PATIENCE"))
	if err != nil {
		patience = 400 * time.Millisecond
	}
	program.SetPatience(patience)
	var never chan bool
	var guests []string
	for id, do := range map[string]func(context.Context) error{
		"channel": func(context.Context) error { <-never; return nil },
		"busy": func(context.Context) error {
			//lint:ignore SA5002 it is what is tested
			for {
			}
		},
		"itself": func(context.Context) error {
			held := make(chan bool, 1)
			held <- true
			held <- true
			return nil
		},
		"sleeps":  func(context.Context) error { time.Sleep(time.Hour); return nil },
		"panics":  func(context.Context) error { panic("boom") },
		"refuses": func(context.Context) error { return strategies.ErrNotAcquired },
	} {
		guests = append(guests, "hostile-"+id)
		scenarios.Register("hostile-"+id, program.Subject{Nodes: 1, New: func(strategies.Env) strategies.Lock { return hostile{do} }})
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	a.guests = guests
	os.Exit(a.run(ctx, os.Args[1:]))
}
