package locktest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
)

const envLooks = "LOCKSTEP_TEST_LOOKS"

// TestLooking has a lock that looks at a variable and a file.
func TestLooking(t *testing.T) {
	if os.Getenv(envLooks) == "" {
		t.Skip("another runs it, in a process of its own")
	}
	Check(t, func(c Client) (Lock, error) {
		_ = os.Getenv(fmt.Sprint("LOOKING_AT_", testing.Short(), *long, flag.Args()))
		_, _ = os.Stat("looking_for_this")
		return Funcs(func(ctx context.Context) error {
			_, err := c.Redis.SetArgs(ctx, c.Key, c.Name, redis.SetArgs{Mode: "NX", TTL: c.TTL}).Result()
			return err
		}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
	}, Hazards(Reentry))
}

// TestLooks: what a lock looks at in its own processes, that of the test looks at, too,
// and at what they may have looked at before: the go command knows of it from its log.
// They get its flags and arguments.
func TestLooks(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLooking$", "-test.testlogfile="+log, "-test.short", "-lockstep.long", "this", "-too")
	cmd.Env = append(os.Environ(), envLooks+"=1", "LOOKED_AT=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := testkit.Must(os.ReadFile(log))(t)
	for _, want := range []string{"getenv LOOKING_AT_true true [this -too]", "stat " + filepath.Join(home, "looking_for_this"), "getenv LOOKED_AT", "open " + home} {
		if !strings.Contains(string(text), "\n"+want+"\n") {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
