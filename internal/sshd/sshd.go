// Package sshd serves the walkthrough to terminals over SSH: each session is one
// walkthrough, and nothing else can be had: no shell, no command, no file transfer, no
// forwarding. There are no accounts: everybody may come. Who has a key finds the same
// progress again.
package sshd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/ssh"
	"github.com/charmbracelet/wish"
	gossh "golang.org/x/crypto/ssh"

	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/tui"
	"lockstep/tui/pages"
)

// Options configure a server.
type Options struct {
	Walk tui.Options // of each session, but for its Progress
	// Folder has the host's key, which is made if there is none, and the progress of each
	// learner with a key.
	Folder   string
	Sessions int // how many there may be at a time
}

// The bounds of a server, beside Options.Sessions.
const (
	maxWaiting  = 32               // connections without a session
	maxGreeting = 20 * time.Second // until a connection has its session
	maxIdle     = 30 * time.Minute
	maxSession  = 12 * time.Hour
	maxLearners = 1000 // whose progress is kept
	maxSide     = 1000 // columns or rows of a terminal
)

// Serve serves the walkthrough on a listener until ctx ends.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return err
	}
	book, err := prose.Load(cmp.Or(o.Walk.Lang, "en"))
	if err != nil {
		return err
	}
	h := &host{
		Options: o, book: book, ctx: ctx, sessions: make(chan struct{}, o.Sessions), conns: make(chan struct{}, o.Sessions+maxWaiting),
		explores: make(chan struct{}, 1),
	}
	server, err := wish.NewServer(
		wish.WithHostKeyPath(filepath.Join(o.Folder, "host_ed25519")),
		wish.WithPublicKeyAuth(func(ssh.Context, ssh.PublicKey) bool { return true }),
		wish.WithKeyboardInteractiveAuth(func(c ssh.Context, _ gossh.KeyboardInteractiveChallenge) bool {
			visitorOf(c).keyless.Store(true) // whatever keys were shown before
			return true
		}),
		wish.WithIdleTimeout(maxIdle),
		wish.WithMaxTimeout(maxSession),
	)
	if err != nil {
		return lang.Errorf("the host's key in %s: %w", o.Folder, err)
	}
	server.Handler, server.ConnCallback = h.session, h.connected
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		// The sessions say goodbye, unless a terminal reads nothing.
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(soon) != nil {
			_ = server.Close()
		}
		<-served
		err = nil
	}
	return err
}

// A host has the sessions.
type host struct {
	Options
	book     *prose.Book
	ctx      context.Context
	sessions chan struct{} // has an element for each session
	conns    chan struct{} // has an element for each connection
	explores chan struct{} // has an element while somebody's level is explored
}

// A visitor is a connection.
type visitor struct {
	net.Conn
	began   atomic.Bool // it has its session
	keyless atomic.Bool // it came in without a key
}

type visitorKey struct{}

func visitorOf(c context.Context) *visitor {
	v, _ := c.Value(visitorKey{}).(*visitor)
	return v
}

// connected bounds the connections, and the time until each has its session.
func (h *host) connected(c ssh.Context, conn net.Conn) net.Conn {
	select {
	case h.conns <- struct{}{}:
	default:
		return nil
	}
	v := &visitor{Conn: conn}
	c.SetValue(visitorKey{}, v)
	late := time.AfterFunc(maxGreeting, func() {
		if !v.began.Load() {
			_ = conn.Close()
		}
	})
	context.AfterFunc(c, func() { late.Stop(); <-h.conns })
	return v
}

// session is the walkthrough of one visitor, whose connection ends with it.
func (h *host) session(s ssh.Session) {
	v := visitorOf(s.Context())
	defer func() { _ = v.Close() }()
	pty, windows, terminal := s.Pty()
	switch {
	case len(s.Command()) > 0 || s.Subsystem() != "":
		wish.Fatalln(s, h.in(lang.New("there is only the walkthrough here: connect without a command")))
		return
	case !terminal:
		wish.Fatalln(s, h.in(lang.New("the walkthrough needs a terminal: use ssh -t")))
		return
	case v.began.Swap(true):
		wish.Fatalln(s, h.in(lang.New("one session for each connection")))
		return
	}
	select {
	case h.sessions <- struct{}{}:
	default:
		wish.Fatalln(s, h.in(lang.New("all %d places are taken; try again later", h.Sessions)))
		return
	}
	err := h.walk(s, pty, windows)
	<-h.sessions // before the visitor hears of the end: the place is free for whoever comes then
	if err != nil && !errors.Is(err, context.Canceled) {
		wish.Fatalln(s, h.in(err))
		return
	}
	_ = s.Exit(0) // it may have gone
}

// walk shows the walkthrough. A panic is the error of this session alone.
func (h *host) walk(s ssh.Session, pty ssh.Pty, windows <-chan ssh.Window) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = lang.Errorf("the walkthrough has stopped: %v", reason)
		}
	}()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	sizes := make(chan pages.Size)
	go func() {
		defer close(sizes)
		for w := range windows {
			select {
			case sizes <- sizeOf(w):
			case <-ctx.Done():
			}
		}
	}()
	o := h.Walk
	o.Progress, o.NoShell = h.progress(s), true
	o.Explorer = h.oneAtATime(o.Explorer)
	return tui.RunRemote(ctx, o, tui.Remote{Reader: s, Writer: s, Env: append(s.Environ(), "TERM="+pty.Term), Size: sizeOf(pty.Window), Sizes: sizes})
}

func (h *host) in(said any) string { return lang.In(h.book.Language(), said) }

// sizeOf is the size of a window, which anybody may say it has.
func sizeOf(w ssh.Window) pages.Size {
	return pages.Size{Width: min(max(0, w.Width), maxSide), Height: min(max(0, w.Height), maxSide)}
}

// oneAtATime lets the sessions take turns at an explorer.
func (h *host) oneAtATime(e *pages.Explorer) *pages.Explorer {
	if e == nil {
		return nil
	}
	return &pages.Explorer{Shortest: func(ctx context.Context, l *scenarios.Level) (pages.Proof, error) {
		select {
		case h.explores <- struct{}{}:
			defer func() { <-h.explores }()
			return e.Shortest(ctx, l)
		case <-ctx.Done():
			return pages.Proof{}, ctx.Err()
		}
	}}
}

// progress returns the progress of a visitor: by key, and for the session otherwise.
func (h *host) progress(s ssh.Session) *progress.Store {
	if key := s.PublicKey(); key != nil && !visitorOf(s.Context()).keyless.Load() {
		all := filepath.Join(h.Folder, "progress")
		sum := sha256.Sum256(key.Marshal())
		dir := filepath.Join(all, hex.EncodeToString(sum[:]))
		learners, _ := os.ReadDir(all)
		if _, err := os.Stat(dir); err == nil || len(learners) < maxLearners {
			return progress.In(dir)
		}
	}
	m := &memory{}
	return (&progress.Text{Read: m.read, Write: m.write}).Store()
}

// A memory keeps progress until the session ends.
type memory struct {
	mu   sync.Mutex
	text string
}

func (m *memory) read() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text
}

func (m *memory) write(text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text = text
	return nil
}
