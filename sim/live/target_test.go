package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tcp := func(address, user, password string, db int) Target {
		return Target{network: "tcp", address: address, user: user, password: password, db: db}
	}
	unix := func(address, user, password string, db int) Target {
		return Target{network: "unix", address: address, user: user, password: password, db: db}
	}
	for text, want := range map[string]Target{
		"localhost:6379":                 tcp("localhost:6379", "", "", 0),
		"localhost":                      tcp("localhost:6379", "", "", 0),
		"redis://localhost":              tcp("localhost:6379", "", "", 0),
		"redis://u:p%40@[::1]:7000/3":    tcp("[::1]:7000", "u", "p@", 3),
		"redis://:secret@example.com:1/": tcp("example.com:1", "", "secret", 0),
		"redis://h:1?db=2":               tcp("h:1", "", "", 2),
		"/tmp/redis.sock":                unix("/tmp/redis.sock", "", "", 0),
		"/tmp/redis@1/s":                 unix("/tmp/redis@1/s", "", "", 0),
		"unix:///tmp/redis.sock?db=3":    unix("/tmp/redis.sock", "", "", 3),
		"unix://u@/tmp/redis.sock":       unix("/tmp/redis.sock", "u", "", 0),
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %q %q %+v, %v", text, got.user, got.password, got, err)
		}
	}
	for _, text := range []string{"", "localhost:x", "http://h:1", "redis://h:1/x", "redis://h:1/2/3", "redis://h:1/5?db=6", "h:1/5?db=6", "rediss://h:1", "unix://", "redis://h:1?password=x"} {
		if got, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), "the address is not one of ") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// mistyped are addresses with a password PW in a correct, an almost correct or
// a wrong place.
var mistyped = []string{
	"redis://u:PW@127.0.0.1:1", "redis://:PW@127.0.0.1:1/0", "redis://PW@127.0.0.1:1", "unix://u:PW@/nowhere/s",
	"u:PW@h", "u:PW@h:1", "PW@h:1", "PW@h", ":PW@h:1", "redis:/u:PW@h:1", "redis:u:PW@h:1", "redis//u:PW@h:1", "redis:///u:PW@h:1",
	"Redis://u:PW@h:1", "REDIS://u:PW@h", "rediss://u:PW@h", "http://u:PW@h", "u:PW@redis://h", "PW://u@h", "redis://u:PW@h:x",
	"redis://u:PW@h:%zz", "redis://u:PW@h:1/db", "redis://u:PW@h:99999", "redis://u:PW@", "redis://u:PW@/0", "redis://u:%PW@h:1",
	"redis://u:P W/PW@h:1", "redis://u@PW@h:1x", "redis://h:1/PW", "redis://h:PW", "redis://h:1?password=PW", "redis://h:1#PW",
	"redis://u:PW\n@h:1", "redis://u:PW\x1b@h:1", " redis://u:PW@h:1", "redis://u:PW@h:1 ", "redis://u:PW@h@h:1", "redis://u:PW/@h:1",
	"unix://u:PW@tmp/x", "unix://u:PW@/s?db=1", "unix:///u:PW@/nowhere/s", "unix:///u:PW@nowhere", "unix:/u:PW@/nowhere/s",
	"unix:u:PW@/s", "PW#@", "/u:PW@h:1", "//u:PW@h:1", "/redis://u:PW@h:1", "unix://u:PW@", "unix://u:%PW@/s", "tcp://u:PW@h:1", "h:1 -a PW@",
}

func TestMistyped(t *testing.T) {
	for _, text := range mistyped {
		showsNothing(t, strings.ReplaceAll(text, "PW", password), password)
	}
}

const password = "xK9qZw7"

// showsNothing checks that no formatting of an address, and no error of a
// missing server, shows the password.
func showsNothing(t *testing.T, text, password string) {
	t.Helper()
	target, err := Parse(text)
	shown := fmt.Sprint(err)
	if err == nil {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			shown += fmt.Sprintf(verb, target) + fmt.Sprintf(verb, &Server{target: target})
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is dialled
		_, err := dial(ctx, target)
		shown += fmt.Sprint(err)
	}
	if strings.Contains(shown, password) || strings.Contains(shown, fmt.Sprintf("%x", password)) {
		t.Errorf("%q: %s", text, shown)
	}
}

// FuzzAddress: for any text around a password and an @ after it, nothing shows
// the password.
func FuzzAddress(f *testing.F) {
	for _, text := range mistyped {
		before, after, _ := strings.Cut(text, "PW")
		f.Add(before, after)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + password + after
		if _, err := Parse(text); err != nil || strings.Contains(after, "@") {
			showsNothing(t, text, password)
		}
	})
}
