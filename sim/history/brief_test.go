package history

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestErrorsQuoteLittle gives the readers a word that is long, and that a token
// packs into little.
func TestErrorsQuoteLittle(t *testing.T) {
	long := strings.Repeat("x", maxTokenText/2)
	config := Default()
	config.Strategy = "set-lua"
	strange, nobody := config, config
	strange.Strategy, nobody.Clients = long, []string{"A", long}
	for name, token := range map[string]string{
		"action": Token(config, Schedule{{Verb: Step, Client: long}}), "verb": Token(config, Schedule{{Verb: Verb(long), Client: "A"}}),
		"lock": Token(strange, nil), "client": Token(nobody, nil),
	} {
		_, _, err := ParseToken(token)
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if got := Brief("é" + strings.Repeat("é", 1000)); !utf8.ValidString(got) || len(got) > 1000 {
		t.Errorf("Brief gives %q", got)
	}
	if short := strings.Repeat("x", briefHead+briefTail); Brief(short) != short {
		t.Errorf("Brief makes %q of a text that is short", Brief(short))
	}
}

// TestMillisecondsOutOfBounds: what would fit is said, below 0 and above.
func TestMillisecondsOutOfBounds(t *testing.T) {
	for _, s := range []string{"99999999999999", "-99999999999999", "x"} {
		_, err := parseBy(s)
		want := fmt.Sprintf("%q is not a number of milliseconds between -%d and %d", s, int64(MaxTime), int64(MaxTime))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", s, err, want)
		}
	}
}

// TestTerse: a value that nobody can print is shown short, the same one always alike, and another
// one otherwise. All else stays.
func TestTerse(t *testing.T) {
	long := strings.Repeat("\x01\x02\x03\xff", 5)
	shown := Terse("SET k " + strconv.Quote(long) + " NX")
	if !strings.HasPrefix(shown, "SET k 010203ff...#") || !strings.HasSuffix(shown, "(20B) NX") || len(shown) > 40 {
		t.Errorf("shown as %s", shown)
	}
	if again := Terse(`says "hi" and ` + strconv.Quote(long) + "=" + strconv.Quote(long)); again != `says "hi" and `+shown[6:len(shown)-3]+"="+shown[6:len(shown)-3] {
		t.Errorf("again it is %s", again)
	}
	for _, other := range []string{long[:19], long[:19] + "\xfe", long[:9] + "x" + long[10:], long + "\x00", "x" + long[1:]} {
		if Terse("SET k "+strconv.Quote(other)+" NX") == shown {
			t.Errorf("%q and %q are both shown as %s", long, other, shown)
		}
	}
	for _, same := range []string{
		"", "SET k A-1 NX", `an inch is 1", and "\x01\x02" are two bytes`, strconv.Quote("{\n  \"owner\": \"A\"\n}"), strconv.Quote("锁 of A"), `"no end \x95\xec\xaa\xcf\xc8\xc2\xde\xad`,
	} {
		if Terse(same) != same {
			t.Errorf("%s is shown as %s", same, Terse(same))
		}
	}
}
