// Package web writes the walkthrough as a static site and serves it. The site's
// engine is package engine as WebAssembly in a worker, compiled by Build with
// the go command; static/ holds the JavaScript.
//
//	site, err := web.Build(ctx, ".")
//	err = site.TakeCourse(ctx, "") // or one of its own
//	...
//	err = site.Write("public")
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// types are the MIME types of a site's files by extension. Other files are not
// served.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
	".bin":  "application/octet-stream",
}

// maxConnections bounds a server. A class is within it: a browser opens at most six.
const maxConnections = 512

// A Server serves a site.
type Server struct{ root *os.Root }

// Open opens the site in a folder and checks that it is complete.
func Open(dir string) (*Server, error) {
	mark, err := readMark(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("%s is not a site; lockstep web %s writes one", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(mark.Files)) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return nil, lang.Errorf("%s is not a whole site: it has no %s; lockstep web %s writes one", dir, name, dir)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Server{root}, nil
}

// Close closes the site's folder.
func (s *Server) Close() { _ = s.root.Close() }

// Serve serves the site on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return ServeUntil(ctx, l, maxConnections, &http.Server{Handler: s.Handler(), ReadTimeout: 10 * time.Second})
}

// ServeUntil has a server answer on a listener until ctx ends, on at most so many
// connections, and within the bounds that every server has.
func ServeUntil(ctx context.Context, l net.Listener, most int64, server *http.Server) error {
	server.MaxHeaderBytes, server.ConnState, server.IdleTimeout = 16<<10, bounded(most), time.Minute
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	soon, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	if server.Shutdown(soon) != nil {
		_ = server.Close()
	}
	<-ended
	return nil
}

// Handler answers GET and HEAD for the files of the site.
func (s *Server) Handler() http.Handler { return handler(s.root, stall) }

// sendBuffer bounds what the system holds for a reader, in bytes. Linux wakes a writer
// when a third of the buffer is free: with the 4 MB that it would take by itself, a slow
// reader would show no progress for minutes.
const sendBuffer = 128 << 10

// bounded closes connections beyond a number, and gives each a small buffer.
func bounded(most int64) func(net.Conn, http.ConnState) {
	var open atomic.Int64
	return func(c net.Conn, state http.ConnState) {
		//nolint:exhaustive // the others neither open nor close one
		switch state {
		case http.StateNew:
			if open.Add(1) > most {
				_ = c.Close()
				return
			}
			if t, ok := c.(*tls.Conn); ok {
				c = t.NetConn()
			}
			if t, ok := c.(*net.TCPConn); ok {
				_ = t.SetWriteBuffer(sendBuffer)
			}
		case http.StateClosed:
			open.Add(-1)
		}
	}
}

// handler serves only files directly in the folder. A reader who takes nothing for so long
// is cut.
func handler(root *os.Root, stall time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = steady{w, stall}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		kind := types[path.Ext(name)]
		if kind == "" || strings.ContainsAny(name, `/\`) {
			http.NotFound(w, r)
			return
		}
		file, info, err := open(root, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().UnixNano()))
		if strings.Contains(r.Header.Get("Range"), ",") {
			r.Header.Del("Range") // several parts would be assembled in memory
		}
		http.ServeContent(w, r, name, info.ModTime(), file)
	})
}

// open opens a regular file. It looks first, since opening a named pipe waits
// for a writer.
func open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := root.Open(name)
	return file, info, err
}
