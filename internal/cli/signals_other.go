//go:build !unix

package cli

import "context"

// untilHangup has nothing to wait for: no other system has such signals.
func untilHangup(ctx context.Context) (out context.Context, again func()) { return ctx, func() {} }
