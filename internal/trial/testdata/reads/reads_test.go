// Package reads has locks that decide by what they look at whether a key gets a TTL. A
// lock whose mode is "no" violates lock-recovers under crash.
package reads

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lockstep/locktest"
)

// At the start.
var (
	atStart        = os.Getenv("START_MODE")
	amongAll       = strings.Contains(strings.Join(os.Environ(), "\n"), "AMONG_MODE=no")
	_, setAtStart  = os.LookupEnv("SET_MODE")
	fileAtStart    = file("start/mode.txt")
	aboveAtStart   = file("../config/mode.txt")
	linkedAtStart  = file("linked/mode.txt")
	foundAtStart   = found("start/more")
	codeAtStart    = is(strings.Contains(file("ignored.go"), "//no"))
	missingAtStart = file("start/none.txt")
	hiddenAtStart  = file(".env")
)

var inMain string

func TestMain(m *testing.M) {
	inMain = file("main/mode.txt")
	os.Exit(m.Run())
}

func file(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}

// found is whether there is a file called no.
func found(dir string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() == "no" {
			return "no"
		}
	}
	return ""
}

func is(no bool) string {
	if no {
		return "no"
	}
	return ""
}

var modes = map[string]func() string{
	"env": func() string { return os.Getenv("LOCK_MODE") },
	"set": func() string {
		_, set := os.LookupEnv("LATE_MODE")
		return is(set)
	},
	"terminals": func() string {
		all := ""
		for _, name := range strings.Fields("TERMINATION_MODE TERM_MODE _MODE SSH_MODE LINES_MODE PWD_MODE TMUX_MODE COLUMNS_X COLORTERM_X NO_COLOR_MODE WINDOWID_X SHLVL_X OLDPWD_X TERM") {
			all += os.Getenv(name)
		}
		return is(strings.Contains(all, "no"))
	},
	"env at the start":   func() string { return atStart },
	"all at the start":   func() string { return is(amongAll) },
	"set at the start":   func() string { return is(setAtStart) },
	"file at the start":  func() string { return fileAtStart },
	"above at the start": func() string { return aboveAtStart },
	"link at the start":  func() string { return linkedAtStart },
	"found at the start": func() string { return foundAtStart },
	"code at the start":  func() string { return codeAtStart },
	"none at the start":  func() string { return missingAtStart },
	"dot at the start":   func() string { return hiddenAtStart },
	"main":               func() string { return inMain },

	"beside":   func() string { return file("mode.txt") },
	"testdata": func() string { return file("testdata/mode.txt") },
	"below":    func() string { return file("lua/lock/mode.txt") },
	"above":    func() string { return file("../mode.txt") },
	"outside":  func() string { return file("../../outside/mode.txt") },
	"hidden":   func() string { return file(".mode") },
	"code":     func() string { return is(strings.Contains(file("code.go"), "//no")) },
	"target":   func() string { return file("link.txt") },
	"swapped":  func() string { return file("swap.txt") },
	"through":  func() string { return file("through/mode.txt") },
	"listed":   func() string { return found("listed") },
	"away":     func() string { return found("../../away") },
	"none":     func() string { return file("none.txt") },
	"gone":     func() string { return is(file("gone.txt") == "") },
	"moved": func() string {
		if err := os.Chdir("moved"); err != nil {
			return "no"
		}
		defer os.Chdir("..")
		return file("mode.txt")
	},
	"rooted": func() string {
		text, _ := fs.ReadFile(os.DirFS("rooted"), "mode.txt")
		return string(text)
	},
	"size": func() string {
		info, err := os.Stat("size.txt")
		return is(err != nil || info.Size() > 3)
	},
	"mode": func() string {
		info, err := os.Lstat("run.sh")
		return is(err != nil || info.Mode()&0o100 == 0)
	},
	"time": func() string {
		info, err := os.Stat("time.txt")
		return is(err != nil || info.ModTime().Year() > 2001)
	},
	"program": func() string {
		out, _ := exec.Command("./say.sh").Output()
		return strings.TrimSpace(string(out))
	},
	"large": func() string {
		text := file("large.txt")
		return text[len(text)-2:]
	},
}

func TestReads(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		mode := modes[name]
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
				return locktest.Funcs(func(ctx context.Context) error {
					ttl := c.TTL
					if mode() == "no" {
						ttl = 0
					}
					ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, ttl).Result()
					if err == nil && !ok {
						err = locktest.ErrNotAcquired
					}
					return err
				}, func(ctx context.Context) error {
					script := `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
					return c.Redis.Eval(ctx, script, []string{c.Key}, c.Name).Err()
				}), nil
			}, locktest.Hazards(locktest.Crash))
		})
	}
}
