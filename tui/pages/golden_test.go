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

func TestFrames(t *testing.T) {
	crash, overrun := parse(t, crashStory), parse(t, overrunStory)
	for _, c := range []struct {
		name string
		o    Options
		keys []string
	}{
		{"crash_start", Options{Story: crash}, nil},
		{"crash_taken", Options{Story: crash, At: 2}, nil},
		{"crash_question", Options{Story: crash, At: 7}, nil},
		{"crash_answered", Options{Story: crash}, []string{"v", "n"}},
		{"crash_wrong", Options{Story: crash}, []string{"v", "y"}},
		{"crash_end", Options{Story: crash}, []string{"G", "0", "G"}},
		{"overrun_both_inside", Options{Story: overrun}, []string{"v", "v", "c", "tab", "tab"}},
		{"overrun_keys", Options{Story: overrun, At: 3}, []string{"tab"}},
		{"overrun_strip", Options{Story: overrun}, []string{"v", "v", "c", "left", "left", "tab", "tab", "tab"}},
		{"overrun_card", Options{Story: overrun}, []string{"f", "f"}},
		{"help", Options{Story: crash}, []string{"?"}},
		{"glossary", Options{Story: crash}, []string{"?", "?"}},
		{"card", Options{Lock: "setnx-expire"}, []string{"up", "up", "enter"}},
		{"chinese", Options{Story: crash, Lang: "zh"}, []string{"v", "y"}},
		{"chinese_panes", Options{Story: overrun, Lang: "zh"}, []string{"v", "v", "c", "tab", "tab"}},
		{"chinese_keys", Options{Story: overrun, Lang: "zh", At: 3}, []string{"tab"}},
		{"chinese_help", Options{Story: crash, Lang: "zh"}, []string{"?"}},
		{"chinese_glossary", Options{Story: crash, Lang: "zh"}, []string{"?", "?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m := start(t, c.o, w, h)
				press(m, c.keys...)
				return m
			})
		})
	}
}

// goldenFrames compares the frame of a program at every size, drawn with every
// set of glyphs, with the golden file.
func goldenFrames(t *testing.T, name string, program func(w, h int) *Shell) {
	t.Helper()
	all := [][2]int{{60, 20}, {80, 24}, {120, 40}}
	sizes := all
	if !*update {
		sizes = testkit.Some(t, all, len(all), 1)
	}
	var frames []string
	for _, size := range sizes {
		m := program(size[0], size[1])
		for _, ascii := range []bool{false, true} {
			m.theme.Glyphs = render.NewTheme(ascii).Glyphs
			frame := strings.ReplaceAll(check(t, m), "\n", "$\n")
			frames = append(frames, fmt.Sprintf("== %dx%d ascii=%v\n%s\n", size[0], size[1], ascii, frame))
		}
	}
	file := filepath.Join("testdata", name+".golden")
	if len(sizes) == len(all) {
		golden(t, file, strings.Join(frames, ""))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		if !strings.Contains(string(want), frame) {
			t.Errorf("%s has no such frame:\n%s", file, frame)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the frames differ from %s; -update rewrites it, and look at the difference:\n%s", file, got)
	}
}
