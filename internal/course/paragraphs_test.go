package course

import "testing"

func TestParagraphs(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"a\nb  c\n\n\nd\n":       "a b  c\n\nd",
		"a:\n- b\n  c\n- d\n\ne": "a:\n- b c\n- d\n\ne",
		"锁在\n这里。\nRedis 的\nSET":  "锁在这里。Redis 的 SET",
		"\n\n- a\n\n\n- b\n":     "- a\n\n- b",
		"SET\n，DEL":              "SET，DEL",
	} {
		if got := paragraphs(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
