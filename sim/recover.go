package sim

import (
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// RecoveryLeases is how many leases lock-recovers waits for somebody to
// acquire. A lock that needs longer does not clean up after a crash in any
// useful sense.
const RecoveryLeases = 20

// maxBusy is how many steps everybody may take before time moves on all the
// same: a client that polls without a pause would never let it.
const maxBusy = 50

// Probe is the name of the client that tries to acquire in the end. No world
// can have it: a client's name begins with a capital letter.
const Probe = "probe"

// ErrUndecided says that a question was given up: an answer would have taken
// more steps than are reasonable.
var ErrUndecided = lang.Errorf("not decided")

// maxProbe is how many steps a recovery may take before it is given up.
const maxProbe = 20_000

// A Fair is a world without faults in which everybody runs in turn.
type Fair interface {
	// Round lets late requests arrive and every strand that can take a step
	// take one. It says how many did and whether somebody acquired.
	Round() (steps int, acquired bool, err error)
	// Idle says whether only time can make a difference.
	Idle() bool
	Now() history.Millis
	// Next returns the next moment at which time makes one, if there is any.
	Next() (at history.Millis, ok bool)
	// Pass lets time pass to a moment. The error may wrap ErrEndOfTime.
	Pass(to history.Millis) error
	// Foreseen says whether somebody acquires up to a moment, if that is known
	// already. It is asked once, before the first round.
	Foreseen(horizon history.Millis) (acquires, known bool)
}

// Recover runs a world that has a probe until somebody acquires or
// RecoveryLeases leases have passed. The error wraps ErrUndecided if that
// takes too many steps.
func Recover(f Fair, ttl history.Millis) (bool, error) {
	horizon := f.Now() + RecoveryLeases*ttl
	if acquires, known := f.Foreseen(horizon); known {
		return acquires, nil
	}
	busy := 0 // rounds since time last moved
	for total := 0; f.Now() <= horizon; busy++ {
		steps, acquired, err := f.Round()
		if acquired || err != nil {
			return acquired, err
		}
		if total += steps; total > maxProbe {
			return false, lang.Errorf("%s: %w: nobody acquired within %d steps", history.LockRecovers, ErrUndecided, maxProbe)
		}
		idle := f.Idle()
		if !idle && busy < maxBusy {
			continue
		}
		next, timed := f.Next()
		switch {
		case !timed && idle:
			return false, nil
		case !timed:
			next = f.Now() + ttl
		}
		if err := f.Pass(next); errors.Is(err, ErrEndOfTime) {
			return false, lang.Errorf("%s: %w: %w", history.LockRecovers, ErrUndecided, err)
		} else if err != nil {
			return false, err
		}
		busy = 0
	}
	return false, nil
}

// Orphaned is the violation of lock-recovers to which a schedule leads. If that
// is empty, the lock never could be acquired, and nobody's action is to blame.
func Orphaned(c history.Config, s history.Schedule, detail lang.Message) history.Violation {
	v := history.Violation{Invariant: history.LockRecovers, Key: c.Key(), Detail: detail}
	if len(s) == 0 {
		v.Seq = -1
	}
	return v
}
