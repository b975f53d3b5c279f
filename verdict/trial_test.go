package verdict

import (
	"strings"
	"testing"
)

func TestLockID(t *testing.T) {
	long := "Test" + strings.Repeat("A", 60)
	for _, test := range []struct {
		name string
		nth  int
		want string
	}{
		{"TestLock", 1, "testlock"},
		{"TestLock", 2, "testlock-2"},
		{"TestLibraries/redislock-0.9.4", 1, "testlibraries-redislock-0-9-4"},
	} {
		if got := LockID(test.name, test.nth); got != test.want {
			t.Errorf("%s, %d: %s, want %s", test.name, test.nth, got, test.want)
		}
	}
	ids := map[string]string{}
	for _, name := range []string{"Test_Lock", "Test/Lock", "Test锁Lock", long, long + "B", long + "/C"} {
		for nth := 1; nth <= 2; nth++ {
			id := LockID(name, nth)
			if was := ids[id]; was != "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("%s, %d: %s, as %s", name, nth, id, was)
			}
			ids[id] = name
		}
	}
}
