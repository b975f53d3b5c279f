//go:build !unix

package live

import (
	"context"
	"errors"
)

type process struct{}

// ErrNoRedisServer says that there is no redis-server to start.
var ErrNoRedisServer = errors.New("a server of one's own can be started on Unix only")

// Start fails: there is no redis-server for this system.
func Start(context.Context) (*Server, error) { return nil, ErrNoRedisServer }

// Stop ends a server that was started here; there is none.
func (s *Server) Stop() {}
