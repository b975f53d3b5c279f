package bubble

import (
	"reflect"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/testkit"
)

// blocked is a provider of hosts that says when it is first asked for one, and has none.
type blocked struct{ asked, end chan struct{} }

func (blocked) Init([]string) error { return nil }
func (blocked) Len() int            { return 1 }
func (blocked) Connected()          {}
func (b blocked) Next() (string, bool) {
	select {
	case b.asked <- struct{}{}:
	default: // the client asks again after end until it sees that it is closed
	}
	<-b.end
	return "", true
}

// TestClientAsConnectMakesIt: a client equals one of zk.Connect in every field when both are
// about to dial, and shares no channel or map with another.
func TestClientAsConnectMakesIt(t *testing.T) {
	const session = 7 * time.Second
	end := make(chan struct{})
	started := func(start func(zk.HostProvider) *zk.Conn) reflect.Value {
		p := blocked{make(chan struct{}, 1), end}
		c := start(p)
		<-p.asked
		return reflect.ValueOf(c).Elem()
	}
	ours := func(p zk.HostProvider) *zk.Conn {
		c, _ := newClient(session, zk.WithHostProvider(p), zk.WithMaxConnBufferSize(64))
		return c
	}
	one, other := started(ours), started(ours)
	want := started(func(p zk.HostProvider) *zk.Conn {
		c, _, err := zk.Connect([]string{"host"}, session, zk.WithHostProvider(p), zk.WithMaxConnBufferSize(64))
		testkit.OK(t, err)
		return c
	})
	for i := range want.NumField() {
		name, a, b, w := want.Type().Field(i).Name, open(one.Field(i)), open(other.Field(i)), open(want.Field(i))
		switch w.Kind() {
		case reflect.Chan, reflect.Map:
			if a.IsNil() != w.IsNil() || a.Len() != w.Len() || w.Kind() == reflect.Chan && a.Cap() != w.Cap() {
				t.Errorf("%s: %d elements; zk.Connect has %d", name, a.Len(), w.Len())
			}
			if !a.IsNil() && a.Pointer() == b.Pointer() {
				t.Errorf("%s: two clients share it", name)
			}
		case reflect.Func:
			if a.Pointer() != w.Pointer() {
				t.Errorf("%s: another function than zk.Connect's", name)
			}
		default:
			if name != "hostProvider" && !reflect.DeepEqual(a.Interface(), w.Interface()) {
				t.Errorf("%s: %v; zk.Connect has %v", name, a, w)
			}
		}
	}
	close(end)
	for _, c := range []reflect.Value{one, other, want} {
		c.Addr().Interface().(*zk.Conn).Close()
		for range field(c.Addr().Interface().(*zk.Conn), "eventChan").Interface().(chan zk.Event) { // until the client ends
		}
	}
}

// TestAddressesAsTheLibraryTriesThem: the addresses come in the order of the library's own
// provider, and the client waits where it would, before and after connections.
func TestAddressesAsTheLibraryTriesThem(t *testing.T) {
	hosts := []string{"127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"}
	for n := range len(hosts) {
		for connects := range 1 << 10 { // bit i: attempt i connects
			theirs, ours := zk.NewDNSHostProvider(), &addresses{n: n + 1, at: -1, last: -1, rest: func() {}, waits: func() {}}
			testkit.OK(t, theirs.Init(hosts[:n+1]))
			names := map[string]string{} // the library shuffles
			for i := range 10 {
				host, wait := theirs.Next()
				name, again := ours.Next()
				if names[host] == "" {
					names[host] = name
				}
				if names[host] != name || wait != again {
					t.Fatalf("%d addresses, connections %b, attempt %d: %s, wait %v; the library: %s, wait %v", n+1, connects, i, name, again, names[host], wait)
				}
				if connects>>i&1 == 1 {
					theirs.Connected()
					ours.Connected()
				}
			}
		}
	}
}
