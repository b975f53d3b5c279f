package strategies

import (
	"context"
	"errors"
)

// OptimisticVersion takes no lock: it writes only if nobody else has written
// since it read, and otherwise begins again.
//
// Claim:  "An update counts only on the version that it was computed from, so none is lost."
// Breaks: under contention work is repeated, and what it did elsewhere is not undone.
// See:    stories/optimistic_versions_retry_instead.txt
// Fix:    none
type OptimisticVersion struct{ Env }

// Update repeats the work until its write is accepted or ctx is done.
func (l *OptimisticVersion) Update(ctx context.Context, r Resource, change func(int64) int64) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, version, err := r.Read(ctx)
		if err != nil {
			return err
		}
		err = r.WriteIf(ctx, change(value), version)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// Lock grants at once: there is nothing to wait for.
func (l *OptimisticVersion) Lock(context.Context) (Grant, error) { return Grant{}, nil }

// Unlock has nothing to give back.
func (l *OptimisticVersion) Unlock(context.Context, Grant) error { return nil }
