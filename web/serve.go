package web

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"lockstep/message"
)

// types are those of the files of a site, by their ending. Others are not served.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".json": "application/json",
	".bin":  "application/octet-stream",
}

// Serve shows the site in a folder to who comes by l, until ctx ends.
func Serve(ctx context.Context, dir string, l net.Listener) error {
	if _, err := readMark(dir); errors.Is(err, fs.ErrNotExist) {
		_ = l.Close()
		return message.Errorf("%s is no site; lockstep web %s writes one", dir, dir)
	} else if err != nil {
		_ = l.Close()
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		_ = l.Close()
		return err
	}
	defer func() { _ = root.Close() }()
	server := &http.Server{
		Handler: handler(root), MaxHeaderBytes: 16 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
	}
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

// handler answers with files of the top of the folder, and nothing else.
func handler(root *os.Root) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		text, err := root.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Length", strconv.Itoa(len(text)))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		if r.Method == http.MethodGet {
			_, _ = w.Write(text) // who has gone needs no answer
		}
	})
}
