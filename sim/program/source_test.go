package program

import "testing"

// TestWhoseLineItIs: machinery yields no line, in any package, but a lock in a
// test of such a package does.
func TestWhoseLineItIs(t *testing.T) {
	for _, line := range []struct{ function, file, want string }{
		{"lockstep/strategies.(*setNX).Lock", "/src/strategies/setnx.go", "strategies/setnx.go:7"},
		{"lockstep/sim/world_test.script.func1", "/src/sim/world/seam_test.go", "world_test/seam_test.go:7"},
		{"lockstep/sim/explore.second.Lock", "/src/sim/explore/led_test.go", "explore/led_test.go:7"},
		{"example.org/own.Lock", "/own/own.go", "own/own.go:7"},
		{"myapp/lock.(*Lock).Lock", "/src/myapp/lock/lock.go", "lock/lock.go:7"},
		{"mylock.New", "/src/mylock/lock.go", "mylock/lock.go:7"},
		{"lockstep/sim.Clock.Length", "/src/sim/clock.go", ""},
		{"lockstep/sim/bubble/guest.(*Mutex).Lock", "/src/sim/bubble/guest/mutex.go", ""},
		{"lockstep/sim/program.(*Coroutine).call", "/src/sim/program/program.go", ""},
		{"lockstep/sim/world.(*World).nextCall", "/src/sim/world/world.go", ""},
		{"github.com/redis/go-redis/v9.(*Client).Process", "/mod/github.com/redis/go-redis/v9@v9.22.0/redis.go", ""},
		{"lockstep/strategies.(*setNX).Lock.func1", "/mod/github.com/redis/go-redis/v9@v9.22.0/redis.go", ""},
		{"runtime.gopanic", "/go/src/runtime/panic.go", ""},
		{"net/http.Get", "/go/src/net/http/client.go", ""},
	} {
		if got := sourceOf(line.function, line.file, 7); got != line.want {
			t.Errorf("%s in %s: %q, want %q", line.function, line.file, got, line.want)
		}
	}
}
