package resp

import "testing"

func TestShown(t *testing.T) {
	for reply, want := range map[string]string{
		"+OK\r\n":                       "OK",
		":-3\r\n":                       "-3",
		"-ERR no\r\n":                   "(error) ERR no",
		"$3\r\na b\r\n":                 "a b",
		"$2\r\n\x1b[\r\n":               `"\x1b["`,
		"$1\r\n\xff\r\n":                `"\xff"`,
		"$-1\r\n":                       "nil",
		"*-1\r\n":                       "nil",
		"*0\r\n":                        "[]",
		"*2\r\n:1\r\n*1\r\n$-1\r\n":     "[1 [nil]]",
		"*2\r\n$1\r\n\n\r\n+QUEUED\r\n": `["\n" QUEUED]`,
	} {
		v, _, err := Parse([]byte(reply))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Shown(); got != want {
			t.Errorf("%q is shown as %s, want %s", reply, got, want)
		}
	}
}
