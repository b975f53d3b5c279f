package live

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Target{
		"localhost:6379":                 {"tcp", "localhost:6379", "", "", 0},
		"redis://localhost":              {"tcp", "localhost:6379", "", "", 0},
		"redis://u:p%40@[::1]:7000/3":    {"tcp", "[::1]:7000", "u", "p@", 3},
		"redis://:secret@example.com:1/": {"tcp", "example.com:1", "", "secret", 0},
		"/tmp/redis.sock":                {"unix", "/tmp/redis.sock", "", "", 0},
		"unix://tmp/redis.sock":          {"unix", "tmp/redis.sock", "", "", 0},
		"unix://:p%40@/tmp/redis.sock":   {"unix", "/tmp/redis.sock", "", "p@", 0},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "localhost", ":6379", "localhost:0", "localhost:x", "http://h:1", "redis://", "redis://h:1/x", "redis://h:1/-1",
		"redis://h:1?db=2", "rediss://h:1", "redis://u:secret@h:%zz", "unix://", "unix://:secret@/s?db=1", "redis://h:99999",
	} {
		if got, err := Parse(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
