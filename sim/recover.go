package sim

import (
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// RecoveryLeases is how many leases lock-recovers waits for an acquisition. A
// lock that needs longer does not recover from a crash in any useful sense.
const RecoveryLeases = 20

// maxBusy bounds the rounds before time moves on all the same: a client that
// polls without a pause would never let it.
const maxBusy = 50

// Probe is the name of the client that tries to acquire at the end. No client of
// a world can have it: their names begin with a capital letter.
const Probe = "probe"

// ErrUndecided is the error for a check that takes too many steps.
var ErrUndecided = lang.Errorf("not decided")

// maxProbe bounds the steps of a recovery.
const maxProbe = 20_000

// A Fair is a world without faults in which everybody runs in turn.
type Fair interface {
	// Round delivers late requests and lets each strand that can take a step
	// take one. It returns how many did and whether a client acquired.
	Round() (steps int, acquired bool, err error)
	// Idle reports whether only time can make a difference.
	Idle() bool
	Now() history.Millis
	// Next returns the next moment at which time makes one, if there is any.
	Next() (at history.Millis, ok bool)
	// Pass lets time pass to a moment. The error may wrap ErrEndOfTime.
	Pass(to history.Millis) error
}

// Recover runs a world with a probe until a client acquires or RecoveryLeases
// leases have passed. The error wraps ErrUndecided if that takes too many steps.
func Recover(f Fair, ttl history.Millis) (bool, error) {
	horizon := f.Now() + RecoveryLeases*ttl
	busy := 0
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

// Orphaned is the violation of lock-recovers after a schedule. If the schedule
// is empty, the lock could never be acquired.
func Orphaned(c history.Config, s history.Schedule, detail lang.Message) history.Violation {
	v := history.Violation{Invariant: history.LockRecovers, Key: c.Key(), Detail: detail, Lost: history.LossIn(c, s)}
	if len(s) == 0 {
		v.Seq = -1
	}
	return v
}
