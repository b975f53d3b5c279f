package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/cache"
)

// cached is what only an output from the cache has.
var cached = regexp.MustCompile(`(?m)^(Cached: |来自缓存：).*\n|,"cached":"[^"]*"|^ +\d+ of \d+ cells were cached.*\n`)

// TestCacheChangesNothing: what is printed the second time is what was printed the
// first time, but that it says since when it is known.
func TestCacheChangesNothing(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	for _, line := range []string{
		"explore setnx", "explore set-del --transcript", "explore pubsub-wakeup --json", "explore redlock-naive --hazard node-restart --hazard failover",
		"explore weak-token --hazard client-clock", "explore set-del --hazard overrun --story", "explore watchdog-lua --hazard overrun --first --lang zh",
		"explore zk-herd --hazard reentry",
		"matrix --locks setnx,set-lua,fenced", "matrix --locks setnx,set-lua,fenced --json", "matrix --locks setnx,set-lua,fenced --markdown",
	} {
		code, first, _ := lockstep(t.Context(), strings.Fields(line+" --fresh")...)
		again, second, talk := lockstep(t.Context(), strings.Fields(line)...)
		if got := cached.ReplaceAllString(second, ""); again != code || got != first {
			t.Errorf("%s: exit code %d\n%s\nwas %d\n%s", line, again, got, code, first)
		}
		if !cached.MatchString(second) && !strings.Contains(talk, "were cached") && !strings.Contains(line, "--story") {
			t.Errorf("%s: nothing is from the cache", line)
		}
	}
}

// TestDamagedCache: an entry that is not as it was written is computed again, and mended.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cache.Env, dir)
	line := strings.Fields("explore setnx --hazard crash")
	_, want, _ := lockstep(t.Context(), line...)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, text[:len(text)/2], []byte("lockstep cache 1\n{}"), bytes.Replace(text, []byte(`"States":122`), []byte(`"States":999`), 1)} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := lockstep(t.Context(), line...); got != want {
			t.Errorf("with %q:\n%s", damaged, got)
		}
		if _, got, _ := lockstep(t.Context(), line...); cached.ReplaceAllString(got, "") != want || !cached.MatchString(got) {
			t.Errorf("after %q it is not mended:\n%s", damaged, got)
		}
	}
}
