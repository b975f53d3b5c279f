package pages

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/tui/render"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// crashStory is a story that no edit of the real ones changes.
const crashStory = `# Two clients, one lock. SETNX takes it; EXPIRE is to clean up after a crash.
#zh 两个客户端，一把锁。SETNX 加锁，EXPIRE 负责在崩溃后清理。
world strategy=setnx-expire clients=A,B ttl=5s
----

# A takes the lock. It has no TTL yet: that is the next command.
run A until=before:EXPIRE
----

# The process dies here.
crash A
----

advance 24h
----

keys
----

run B
----

predict "Can B ever get the lock?" recovers = no
predict-zh "B 有可能拿到锁吗？"
because no "The key has no TTL, and its owner is dead."
because-zh no "键没有 TTL，而持有者已经崩溃。"
because yes "A TTL would end the lock, but none was ever set."
because-zh yes "TTL 能结束这把锁，但从未设置过。"
check
----

# The same schedule against the fix.
replay strategy=set-lua
----
`

// overrunStory has several violations, two of them in one run of a client.
const overrunStory = `# A works for longer than its lease.
world strategy=set-del clients=A,B ttl=5s work=10s
----

run A until=in-critical
----

advance 6s
----

# B is granted the lock too.
run B until=in-critical
----

run A
----

check
----
`

// goldenFrames compares the frames of programs, each drawn with every set of glyphs,
// with the golden file, which has every size.
func goldenFrames(t testing.TB, name string, programs []*Shell) {
	t.Helper()
	var frames []string
	for _, m := range programs {
		for _, ascii := range []bool{false, true} {
			m.Glyphs = render.NewTheme(ascii).Glyphs
			frame := strings.ReplaceAll(check(t, m), "\n", "$\n")
			frames = append(frames, fmt.Sprintf("== %dx%d ascii=%v\n%s\n", m.face.Width, m.face.Height, ascii, frame))
		}
		m.Glyphs = render.NewTheme(false).Glyphs
	}
	file := filepath.Join("testdata", name+".golden")
	if len(frames) == 6 {
		golden(t, file, strings.Join(frames, ""))
		return
	}
	want := testkit.Must(os.ReadFile(file))(t)
	for _, frame := range frames {
		if !strings.Contains(string(want), frame) {
			t.Errorf("%s has no such frame:\n%s", file, frame)
		}
	}
}

func golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want := testkit.Must(os.ReadFile(file))(t)
	if got != string(want) {
		t.Errorf("the frames differ from %s; -update rewrites it, and look at the difference:\n%s", file, got)
	}
}
