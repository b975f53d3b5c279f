package bubble

import (
	"context"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/go-zookeeper/zk"
)

// zk.Connect allocates a buffer of 1.5 MiB, also if an option gives the client another.
// A search starts tens of thousands of clients. To clear and collect these buffers took
// more than half of its time. So newClient does what zk.Connect does, without it: it copies
// a client that zk.Connect has made, and starts it by the library's own methods. These are
// of v1.0.4; where a later version lacks one, the linker says so.

// newClient starts a client of the ZooKeeper library, whose session lasts for a time after
// nothing is heard from it, and returns what it reports of that. The options include the provider of hosts and the buffer for
// requests, which clients would share otherwise.
func newClient(session time.Duration, options ...func(*zk.Conn)) (*zk.Conn, <-chan zk.Event) {
	c := unstarted()
	for _, option := range options {
		option(c)
	}
	setTimeouts(c, int32(session/time.Millisecond))
	events := field(c, "eventChan").Interface().(chan zk.Event)
	go func() {
		loop(c, context.Background())
		flushRequests(c, zk.ErrClosing)
		invalidateWatches(c, zk.ErrClosing)
		close(events)
	}()
	return c, events
}

// unstarted returns a copy of the client that zk.Connect makes, with channels and maps of
// its own.
func unstarted() *zk.Conn {
	c := new(zk.Conn)
	to, from := reflect.ValueOf(c).Elem(), reflect.ValueOf(original()).Elem()
	for i := range from.NumField() {
		value := open(from.Field(i))
		switch {
		case value.Kind() == reflect.Chan && !value.IsNil():
			value = reflect.MakeChan(value.Type(), value.Cap())
		case value.Kind() == reflect.Map && !value.IsNil():
			value = reflect.MakeMap(value.Type())
		}
		open(to.Field(i)).Set(value)
	}
	return c
}

// original returns a client that zk.Connect has made and not started, because an option
// has panicked.
var original = sync.OnceValue(func() (c *zk.Conn) {
	defer func() { _ = recover() }()
	_, _, err := zk.Connect([]string{"original"}, 0, func(made *zk.Conn) {
		c = made
		panic("enough")
	})
	panic(err) // not reached
})

// open returns a field of a struct so that it can be set.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func field(c *zk.Conn, name string) reflect.Value {
	return open(reflect.ValueOf(c).Elem().FieldByName(name))
}

//go:linkname setTimeouts github.com/go-zookeeper/zk.(*Conn).setTimeouts
func setTimeouts(c *zk.Conn, session int32)

//go:linkname loop github.com/go-zookeeper/zk.(*Conn).loop
func loop(c *zk.Conn, ctx context.Context)

//go:linkname flushRequests github.com/go-zookeeper/zk.(*Conn).flushRequests
func flushRequests(c *zk.Conn, err error)

//go:linkname invalidateWatches github.com/go-zookeeper/zk.(*Conn).invalidateWatches
func invalidateWatches(c *zk.Conn, err error)
