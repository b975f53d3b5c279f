package cli

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/cache"
	"lockstep/sim/model"
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
	for _, damaged := range [][]byte{nil, text[:len(text)/2], []byte("lockstep cache 1\n{}"), bytes.Replace(text, []byte(`"States":63`), []byte(`"States":999`), 1)} {
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

// learned is what only an output has that was computed with learned code from the cache,
// and how often code ran, which then is less often.
var learned = regexp.MustCompile(`(?m)^Learned: .*\n|,"learned":"[^"]*"|,"client_runs":\d+|"ways":\d+,"runs":\d+`)

// TestLearnedCode: a second question about a lock starts with what was learned for the
// first, and says so. If that does not hold, all is learned again.
func TestLearnedCode(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cache.Env, dir)
	ask := func(states, format string) (out, talk string) {
		t.Helper()
		_, out, talk = lockstep(t.Context(), "explore", "watchdog-naive", "--hazard", "overrun", "--states", states, format)
		return out, talk
	}
	ask("9000", "--json")
	for _, format := range []string{"--json", "--transcript"} {
		got, talk := ask("10000", format)
		t.Setenv(cache.Env, "off")
		want, _ := ask("10000", format)
		t.Setenv(cache.Env, dir)
		if learned.ReplaceAllString(cached.ReplaceAllString(got, ""), "") != learned.ReplaceAllString(want, "") || talk != "" {
			t.Errorf("%s\n%s\nwant\n%s", talk, got, want)
		}
		if !strings.Contains(got, `"learned":"`) && !strings.Contains(got, "\nLearned: in part from the cache, on ") {
			t.Errorf("it does not say what it believes:\n%s", got)
		}
		if runs := regexp.MustCompile(`"client_runs":(\d+)`).FindStringSubmatch(got); runs != nil && len(runs[1]) > 2 {
			t.Errorf("code ran %s times", runs[1])
		}
	}
	poison(t, dir)
	got, talk := ask("11000", "--json")
	t.Setenv(cache.Env, "off")
	want, _ := ask("11000", "--json")
	// Both searches asked the servers.
	asked := regexp.MustCompile(`"server_runs":\d+`)
	plain := func(out string) string { return learned.ReplaceAllString(asked.ReplaceAllString(out, ""), "") }
	if plain(got) != plain(want) || strings.Contains(got, `"learned":"`) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if talk != "lockstep: watchdog-naive: what the cache had of its code does not hold, and is not used; the code runs again\n" {
		t.Errorf("it says %q", talk)
	}
}

// poison changes what was learned in a cache: nobody enters.
func poison(t *testing.T, dir string) {
	t.Helper()
	store, poisoned := cache.Open(dir), 0
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var k cache.Key
		if _, err := hex.Decode(k[:], []byte(file.Name()[len(file.Name())-2*len(k):])); err != nil {
			t.Fatal(err)
		}
		text, read, _, _ := store.GetRead(k, 1<<20)
		var kept model.Kept
		if gob.NewDecoder(flate.NewReader(bytes.NewReader(text))).Decode(&kept) != nil {
			continue // a verdict
		}
		for _, code := range kept {
			for i := range code.Ways {
				code.Ways[i].Events = nil
			}
		}
		var out bytes.Buffer
		w, err := flate.NewWriter(&out, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(gob.NewEncoder(w).Encode(kept), w.Close(), store.PutRead(k, read, out.Bytes())); err != nil {
			t.Fatal(err)
		}
		poisoned++
	}
	if poisoned != 1 {
		t.Errorf("%d entries are poisoned", poisoned)
	}
}
