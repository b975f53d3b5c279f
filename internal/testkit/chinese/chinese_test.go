package chinese_test

import (
	"testing"

	"lockstep/internal/testkit/chinese"
)

func TestLatin(t *testing.T) {
	for text, want := range map[string]int{
		"A SET lock:stock A-1 EX 5 NX -> OK（strategies/set_del.go:16）": 0,
		"违反「不删他人的锁」（foreign-release）：A 删除了 B 持有的 lock:stock":           0,
		"用 watchdog-lua 代替 set-del":                                    0,
		"A enters the critical section":                                1,
		"A 读到 stock = 3，is done":                                       1,
		"still A-1 after 20 leases":                                    3,
	} {
		if got := chinese.Latin(text); len(got) != want && (want == 0) != (len(got) == 0) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestPunctuation(t *testing.T) {
	for text, bad := range map[string]bool{
		"A 拿到锁，B 被拒绝。": false,
		"锁: A":         true,
		"锁(A)":         true,
		"A拿到锁":         true,
		"正确的是是":        true,
		"B 来了， A 还在":   true,
		"{{.Client}} 进入{{with .X}}，因为 {{.}}{{end}}。": false,
		"锁 {{.What}}, 没有键":                           true,
	} {
		if got := chinese.Punctuation(text); len(got) > 0 != bad {
			t.Errorf("%s: %q", text, got)
		}
	}
}
