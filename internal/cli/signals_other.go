//go:build !unix

package cli

import (
	"context"
	"os"
)

var hangup, deadly []os.Signal

// until does nothing: other systems have no such signals.
func until(ctx context.Context, _ []os.Signal) (out context.Context, again func()) {
	return ctx, func() {}
}
