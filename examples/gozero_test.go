package examples

import (
	"context"
	"fmt"
	_ "unsafe" // for go:linkname

	"github.com/zeromicro/go-zero/core/stores/redis"
	"github.com/zeromicro/go-zero/core/syncx"

	"lockstep/locktest"
)

// gozeroClients are go-zero's Redis clients by address. It makes them itself and has
// no way to be given one.
//
//go:linkname gozeroClients github.com/zeromicro/go-zero/core/stores/redis.clientManager
var gozeroClients *syncx.ResourceManager

// gozeroLock is the usage of its documentation.
func gozeroLock(c locktest.Client) (locktest.Lock, error) {
	addr := fmt.Sprintf("%p", c.Redis)
	gozeroClients.Inject(addr, c.Redis)
	l := redis.NewRedisLock(redis.New(addr), c.Key)
	l.SetExpire(int(c.TTL.Seconds()))
	return locktest.Funcs(func(ctx context.Context) error {
		ok, err := l.AcquireCtx(ctx)
		if err == nil && !ok {
			return locktest.ErrNotAcquired
		}
		return err
	}, func(ctx context.Context) error {
		ok, err := l.ReleaseCtx(context.WithoutCancel(ctx))
		if err == nil && !ok {
			return locktest.ErrLost
		}
		return err
	}), nil
}
