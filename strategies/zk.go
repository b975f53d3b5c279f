package strategies

import (
	"context"
	"errors"
	"fmt"
	"net"

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
		if ctx.Err() != nil || !unanswered(err) {
			return err
		}
	}
}

// unanswered reports whether no reply came. The library returns the error of the
// network if it fails to write.
func unanswered(err error) bool {
	var network net.Error
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer) || errors.As(err, &network)
}

// zkOutcome wraps an error of the library: without a reply nobody knows what the
// server has done, and with the session its ephemeral nodes are gone.
func zkOutcome(err error) error {
	switch {
	case unanswered(err):
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	case errors.Is(err, zk.ErrSessionExpired), errors.Is(err, zk.ErrNoNode):
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}
