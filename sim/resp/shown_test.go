package resp

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

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

// TestShort: a long text is shown by its ends, a part of a character is not, and two
// that differ anywhere still do.
func TestShort(t *testing.T) {
	whole := strings.Repeat("é", longest/2)
	if Printable(whole) != whole {
		t.Error("a text within the bound is cut")
	}
	one := Printable(whole + "x" + whole)
	if len(one) > shownHead+shownTail+100 || !utf8.ValidString(one) || !strings.Contains(one, strconv.Itoa(2*longest+1-shownHead-shownTail)+" bytes left out") {
		t.Errorf("%q", one)
	}
	if other := Printable(whole + "y" + whole); other == one {
		t.Error("two texts are shown alike")
	}
	if got := (Value{Kind: '*', Items: slices.Repeat([]Value{{Kind: ':', Text: "1"}}, longest)}).Shown(); len(got) > shownHead+shownTail+100 {
		t.Errorf("an array is shown by %d bytes", len(got))
	}
}
