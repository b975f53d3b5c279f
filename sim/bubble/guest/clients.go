package guest

import (
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Options returns those of a client of the caller's run, whatever the address in the given ones.
var Options = func(*redis.Options) *redis.Options { return &redis.Options{} }

// NewClient is redis.NewClient. If a client is made before any run, each run has its own of it,
// without the hooks that were added.
func NewClient(o *redis.Options) *redis.Client {
	if o.Dialer != nil { // it may be that of a client that the lock was given
		own := *o
		own.Addr = strings.ReplaceAll(o.Addr, ":", " ") // nothing else may dial it
		return redis.NewClient(&own)
	}
	return each(func() redis.Client { return *redis.NewClient(Options(o)) })
}

// NewFailoverClient is redis.NewFailoverClient, of a client that has one primary for ever.
func NewFailoverClient(o *redis.FailoverOptions) *redis.Client {
	return NewClient(&redis.Options{Addr: o.MasterName, DB: o.DB, MaxRetries: o.MaxRetries, MinRetryBackoff: o.MinRetryBackoff, MaxRetryBackoff: o.MaxRetryBackoff})
}

// NewUniversalClient is redis.NewUniversalClient, where that makes a client of one server.
func NewUniversalClient(o *redis.UniversalOptions) redis.UniversalClient {
	switch {
	case o.MasterName != "":
		return NewFailoverClient(o.Failover())
	case o.IsClusterMode || len(o.Addrs) > 1:
		return redis.NewUniversalClient(o)
	}
	return NewClient(o.Simple())
}

// OnceFunc is sync.OnceFunc, in each run.
func OnceFunc(f func()) func() {
	do := each(func() func() { return sync.OnceFunc(f) })
	return func() { (*do)() }
}

// OnceValue is sync.OnceValue, in each run.
func OnceValue[T any](f func() T) func() T {
	do := each(func() func() T { return sync.OnceValue(f) })
	return func() T { return (*do)() }
}

// OnceValues is sync.OnceValues, in each run.
func OnceValues[T, U any](f func() (T, U)) func() (T, U) {
	do := each(func() func() (T, U) { return sync.OnceValues(f) })
	return func() (T, U) { return (*do)() }
}

// each returns a variable of which each run has its own value, unless it is made in a run.
func each[T any](first func() T) *T {
	v := first()
	if Ended() == nil {
		owners = append(owners, owner{
			save:  func() any { return v },
			load:  func(c any) { v = c.(T) },
			begin: func(copier) { v = first() },
		})
	}
	return &v
}
