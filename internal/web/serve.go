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
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lockstep/internal/lang"
)

// types are the MIME types of a site's files by extension. Other files are not
// served.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
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
		return nil, lang.Errorf("%s is not a site; lockstep web %s writes one", dir, lang.Typed(dir))
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(mark.Files)) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return nil, lang.Errorf("%s is not a whole site: it has no %s; lockstep web %s writes one", dir, name, lang.Typed(dir))
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
func ServeUntil(ctx context.Context, l net.Listener, most int, server *http.Server) error {
	g := gate{most: most, open: map[net.Conn]*connection{}}
	server.MaxHeaderBytes, server.ConnContext, server.ConnState, server.IdleTimeout = 16<<10, g.enters, g.changes, time.Minute
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

// A gate bounds the connections of a server. One too many takes the place of another: of the
// lowest rank, there of the address that has most, and of these the oldest. So nobody keeps
// others out, and a class behind one address is no crowd.
type gate struct {
	most int

	mu   sync.Mutex // guards the following
	came int
	open map[net.Conn]*connection
}

// A connection is what a gate knows of one.
type connection struct {
	from    string
	n, rank int // n in the order in which they came
}

// The ranks of connections. A new one is no less than a stranger's request: it may be of
// anybody.
const (
	idle = iota
	stranger
	Known    // a request of somebody who has a place
	Deserved // ... and has used it
)

type rankKey struct{}

// Ranks gives the connection of a request its rank until it is answered.
func Ranks(r *http.Request, rank int) {
	if ranks, ok := r.Context().Value(rankKey{}).(func(int)); ok {
		ranks(rank)
	}
}

func (g *gate) enters(ctx context.Context, c net.Conn) context.Context {
	under := c
	if t, ok := c.(*tls.Conn); ok {
		under = t.NetConn()
	}
	if t, ok := under.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(sendBuffer)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) >= g.most {
		g.displace()
	}
	g.came++
	g.open[c] = &connection{Address(c.RemoteAddr().String()), g.came, stranger}
	return context.WithValue(ctx, rankKey{}, func(rank int) { g.ranks(c, rank) })
}

// displace closes the connection that another takes the place of. It looks at some, as a
// map gives them, so that nobody has to wait for it.
func (g *gate) displace() {
	from := map[string]int{}
	var some []net.Conn
	for c, v := range g.open {
		if some = append(some, c); len(some) > 200 {
			break
		}
		from[v.from]++
	}
	last := slices.MinFunc(some, func(a, b net.Conn) int {
		v, w := g.open[a], g.open[b]
		return cmp.Or(v.rank-w.rank, from[w.from]-from[v.from], v.n-w.n)
	})
	delete(g.open, last)
	go func() { _ = last.Close() }() // with TLS, it says goodbye first
}

func (g *gate) ranks(c net.Conn, rank int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.open[c]; v != nil {
		v.rank = rank
	}
}

func (g *gate) changes(c net.Conn, state http.ConnState) {
	//nolint:exhaustive // a new one has entered
	switch state {
	case http.StateActive:
		g.ranks(c, stranger)
	case http.StateIdle:
		g.ranks(c, idle)
	case http.StateClosed:
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.open, c)
	}
}

// Address is the part of a remote address that one machine has, for bounds. A machine has
// a whole /64 of IPv6 addresses.
func Address(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return ""
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr()
	}
	return ip.String()
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
