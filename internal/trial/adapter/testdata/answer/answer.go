// Package answer has a lock behind an interface, that says yes or no.
package answer

import (
	"context"

	rds "github.com/redis/go-redis/v9"
)

type Locker interface {
	TryLock() bool
	Unlock()
}

type locker struct{}

func (locker) TryLock() bool { return true }
func (locker) Unlock()       {}

func NewLocker(ctx context.Context, client rds.UniversalClient, resource, value string, verbose bool) Locker {
	return locker{}
}
