package zookeeper

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// replyWithin bounds every wait for a ZooKeeper server.
const replyWithin = 10 * time.Second

// tick is the server's tickTime: as short as it may be, because sessions that
// expire take that long.
const tick = 20

const jars = "/usr/share/java/zookeeper.jar"

// A realServer is a ZooKeeper that a test has started, on a port of the
// loopback interface.
type realServer struct{ address string }

// startServer starts a ZooKeeper. It ends, and its directory is removed, with
// the test, even if the test is killed: a shell waits for the end of its input,
// which the test holds open.
func startServer(t testing.TB) *realServer {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("SKIPPED, nothing was compared: there is no java (apt-get install default-jre-headless)")
	}
	if _, err := os.Stat("/usr/share/java/zookeeper.jar"); err != nil {
		t.Skip("SKIPPED, nothing was compared: there is no ZooKeeper (apt-get install zookeeper)")
	}
	dir := testkit.Must(os.MkdirTemp(memory(), "zookeeper"))(t)
	s := &realServer{freeAddress(t)}
	cmd := s.command(t, dir)
	life := testkit.Must(cmd.StdinPipe())(t)
	testkit.OK(t, cmd.Start())
	t.Cleanup(func() {
		life.Close()
		cmd.Wait()
	})
	s.waitUntilUp(t, dir)
	return s
}

// memory is a directory in memory, where the server's log of transactions costs
// least; "" for the usual one.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func freeAddress(t testing.TB) string {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

func (s *realServer) command(t testing.TB, dir string) *exec.Cmd {
	host, port, _ := net.SplitHostPort(s.address)
	config := fmt.Sprintf(`tickTime=%d
minSessionTimeout=%d
maxSessionTimeout=600000
dataDir=%s
clientPort=%s
clientPortAddress=%s
maxClientCnxns=0
admin.enableServer=false
autopurge.purgeInterval=0
`, tick, tick, dir, port, host)
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "zoo.cfg"), []byte(config), 0o600))
	quiet := "log4j.rootLogger=OFF\n"
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "log4j.properties"), []byte(quiet), 0o600))
	cmd := exec.Command("sh", "-c", `trap : INT TERM
java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dzookeeper.forceSync=no -Dzookeeper.DigestAuthenticationProvider.enabled=true -cp "$PWD:$1" org.apache.zookeeper.server.ZooKeeperServerMain zoo.cfg >log 2>&1 </dev/null &
cat; kill -9 $!; rm -rf "$PWD"`, "sh", jars)
	cmd.Dir = dir
	return cmd
}

func (s *realServer) waitUntilUp(t testing.TB, dir string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < replyWithin; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.address); err == nil {
			// A server that is about to start accepts connections, and may forget
			// them.
			c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
			conn := realConn{c, bufio.NewReader(c)}
			conn.send(AppendFrame(nil, AppendRequest(nil, Request{Op: Connect, Timeout: 600_000})))
			_, err := readFrame(conn.in)
			conn.send(AppendFrame(nil, AppendRequest(nil, Request{Op: CloseSession})))
			readFrame(conn.in)
			c.Close()
			if err == nil {
				return
			}
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("ZooKeeper did not start:\n%s", log)
}

// A realConn is a connection to a realServer.
type realConn struct {
	net.Conn
	in *bufio.Reader
}

func (s *realServer) dial(t testing.TB) *realConn {
	t.Helper()
	c := testkit.Must(net.Dial("tcp", s.address))(t)
	return &realConn{c, bufio.NewReader(c)}
}

// send writes bytes. A server that has closed the connection reads none.
func (c *realConn) send(stream []byte) {
	c.SetWriteDeadline(time.Now().Add(replyWithin))
	c.Write(stream)
}

// nothing is in place of a frame that does not come.
const nothing = "nothing came"

// receive returns the next frame, nil at the end of the connection, and a text if
// nothing comes.
func (c *realConn) receive(t testing.TB) []byte {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(replyWithin))
	frame, err := readFrame(c.in)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return []byte(nothing)
	}
	return frame
}

func readFrame(in io.Reader) ([]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(in, n[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(n[:]))
	_, err := io.ReadFull(in, frame)
	return frame, err
}
