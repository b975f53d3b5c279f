package history

import (
	"fmt"
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
