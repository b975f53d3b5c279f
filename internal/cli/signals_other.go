//go:build !unix

package cli

import "context"

// untilHangup does nothing: other systems have no such signals.
func untilHangup(ctx context.Context) (out context.Context, again func()) { return ctx, func() {} }
