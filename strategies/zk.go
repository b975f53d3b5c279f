package strategies

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"
)

// What the locks on ZooKeeper share.

var everybody = zk.WorldACL(zk.PermAll)

// answered repeats a request until a reply comes or ctx ends. The library connects
// again by itself, and the session and its ephemeral nodes may have outlasted the
// connection.
func answered(ctx context.Context, request func() error) error {
	for {
		err := request()
		if ctx.Err() != nil || !errors.Is(err, zk.ErrConnectionClosed) && !errors.Is(err, zk.ErrNoServer) {
			return err
		}
	}
}

// zkOutcome wraps an error of the library: without a reply nobody knows what the
// server has done, and with the session its ephemeral nodes are gone.
func zkOutcome(err error) error {
	switch {
	case errors.Is(err, zk.ErrConnectionClosed), errors.Is(err, zk.ErrNoServer):
		return errors.Join(ErrUnknown, err)
	case errors.Is(err, zk.ErrSessionExpired), errors.Is(err, zk.ErrNoNode):
		return errors.Join(ErrLost, err)
	}
	return err
}
