package live

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/zookeeper"
)

// A ZooKeeper is a ZooKeeper server that Lockstep has started, alone in its
// ensemble and without a password.
type ZooKeeper struct {
	address string
	version string
	process *process
}

// ZooKeeperTick is tickTime, by which the server rounds and bounds the timeouts of
// sessions: so long that it ends none while a run lasts.
const ZooKeeperTick = 2000 * time.Second

// zooKeeperJar is where Debian's package zookeeper has the server.
const zooKeeperJar = "/usr/share/java/zookeeper.jar"

// ErrNoZooKeeper means that there is no ZooKeeper to start.
var ErrNoZooKeeper = lang.Errorf("no ZooKeeper is found: java has to be on the PATH and the server at %s (the packages default-jre-headless and zookeeper)", zooKeeperJar)

// StartZooKeeper starts a ZooKeeper on a free port of the loopback address, in a
// temporary folder. It ends with Stop or with this process.
func StartZooKeeper(ctx context.Context) (*ZooKeeper, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, ErrNoZooKeeper
	}
	if _, err := os.Stat(zooKeeperJar); err != nil {
		return nil, ErrNoZooKeeper
	}
	dir, err := os.MkdirTemp("", "lockstep-zookeeper-")
	if err != nil {
		return nil, err
	}
	s := &ZooKeeper{process: &process{dir: dir, file: filepath.Join(dir, "zoo.cfg")}}
	s.process.command = []string{java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=64",
		"-cp", dir + string(os.PathListSeparator) + zooKeeperJar, "org.apache.zookeeper.server.ZooKeeperServerMain", s.process.file}
	s.process.up = s.greet
	if err = s.process.begin(func() error { return s.launch(ctx) }); err == nil {
		err = s.ask(ctx)
	}
	if err != nil {
		s.Stop()
		return nil, lang.Errorf("start ZooKeeper: %w", err)
	}
	return s, nil
}

// Stop ends the server.
func (s *ZooKeeper) Stop() { s.process.stop() }

// String names the server.
func (s *ZooKeeper) String() string { return fmt.Sprintf("ZooKeeper %s, %s", s.version, s.address) }

// launch starts the process on a free port and waits until it answers there.
func (s *ZooKeeper) launch(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	const loopback = "127.0.0.1"
	s.address = net.JoinHostPort(loopback, strconv.Itoa(port))
	config := fmt.Sprintf("tickTime=%d\ndataDir=%s\nclientPort=%d\nclientPortAddress=%s\nmaxClientCnxns=0\nadmin.enableServer=false\nautopurge.purgeInterval=0\n",
		ZooKeeperTick.Milliseconds(), filepath.ToSlash(s.process.dir), port, loopback)
	errs := "log4j.rootLogger=ERROR, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\nlog4j.appender.out.layout=org.apache.log4j.SimpleLayout\n"
	err = errors.Join(os.WriteFile(s.process.file, []byte(config), 0o600), os.WriteFile(filepath.Join(s.process.dir, "log4j.properties"), []byte(errs), 0o600))
	if err != nil {
		return err
	}
	return s.process.run(ctx)
}

// greet begins and ends a session. A server that is about to start accepts
// connections, and may forget them.
func (s *ZooKeeper) greet(ctx context.Context) error {
	c, err := s.Dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	c.patience = 500 * time.Millisecond
	for _, q := range []zookeeper.Request{{Op: zookeeper.Connect, Timeout: 600_000}, {Op: zookeeper.CloseSession}} {
		_, reply, err := c.Ask(zookeeper.AppendRequest(nil, q), nil)
		if err == nil && reply == nil {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask finds out the server's version.
func (s *ZooKeeper) ask(ctx context.Context) error {
	c, err := s.Dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, _ = io.WriteString(c.conn, "srvr")
	about, err := io.ReadAll(c.in)
	if err != nil {
		return err
	}
	words := strings.FieldsFunc(string(about), func(r rune) bool { return r == ' ' || r == ',' || r == '-' })
	if len(words) < 3 || words[1] != "version:" {
		return lang.Errorf("it says %.80q, and no version", about)
	}
	s.version = words[2]
	return nil
}

// answerTimeout bounds the time until a server replies.
const answerTimeout = 3 * time.Second

// A ZooKeeperConn is a connection to a ZooKeeper.
type ZooKeeperConn struct {
	Ended    bool // by the server
	conn     net.Conn
	in       *bufio.Reader
	patience time.Duration
	stop     func() bool
}

// Dial connects to the server. The connection ends with ctx.
func (s *ZooKeeper) Dial(ctx context.Context) (*ZooKeeperConn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return &ZooKeeperConn{conn: conn, in: bufio.NewReader(conn), patience: answerTimeout, stop: stop}, nil
}

// Close closes the connection.
func (c *ZooKeeperConn) Close() {
	c.stop()
	_ = c.conn.Close()
}

// Ask sends a frame, and returns what the server sends up to the frame that
// answers it: the next one, if answers is nil. Before it come events. Without an
// error, reply is nil if the server has ended the connection.
func (c *ZooKeeperConn) Ask(frame []byte, answers func(frame []byte) bool) (before [][]byte, reply []byte, err error) {
	_ = c.conn.SetDeadline(time.Now().Add(c.patience))
	if !c.Ended {
		_, _ = c.conn.Write(zookeeper.AppendFrame(nil, frame)) // what came before the end can still be read
	}
	for !c.Ended {
		got, err := c.frame()
		switch {
		case err != nil:
			return before, nil, err
		case got == nil:
		case answers == nil || answers(got):
			return before, got, nil
		default:
			before = append(before, got)
		}
	}
	return before, nil, nil
}

// Drain waits until the server ends the connection.
func (c *ZooKeeperConn) Drain() error {
	_ = c.conn.SetReadDeadline(time.Now().Add(c.patience))
	for !c.Ended {
		if _, err := c.frame(); err != nil {
			return err
		}
	}
	return nil
}

// frame reads a frame; nil at the end of the connection.
func (c *ZooKeeperConn) frame() ([]byte, error) {
	var n [4]byte
	_, err := io.ReadFull(c.in, n[:])
	var frame []byte
	if size := binary.BigEndian.Uint32(n[:]); err == nil && size > 64<<20 {
		return nil, lang.Errorf("a frame of %d bytes: not ZooKeeper's", size)
	} else if err == nil {
		frame = make([]byte, size)
		_, err = io.ReadFull(c.in, frame)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, lang.Errorf("ZooKeeper sends nothing for %v", c.patience)
	case errors.Is(err, net.ErrClosed): // by Dial's ctx
		return nil, err
	case err != nil:
		c.Ended = true
		return nil, nil
	}
	return frame, nil
}
