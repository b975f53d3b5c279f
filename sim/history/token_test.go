package history

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

// packed is a token of any text, whether a program would write it or not.
func packed(text string) string {
	var b bytes.Buffer
	b.Write(binaryChecksum(text))
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// TestTokensAtTheirBounds: what is just not too long is refused for another
// reason, if at all.
func TestTokensAtTheirBounds(t *testing.T) {
	const config = "strategy=x"
	for what, test := range map[string]struct{ token, says string }{
		"as long as fits":         {tokenPrefix + strings.Repeat("_", maxToken-len(tokenPrefix)), "damaged"},
		"one more":                {tokenPrefix + strings.Repeat("_", maxToken-len(tokenPrefix)+1), "too many"},
		"too short for a sum":     {tokenPrefix + "AAAA", "cut short, or"},
		"a sum of nothing":        {tokenPrefix + "AAAAAA", "cut short"},
		"much, but not too much":  {packed(config + strings.Repeat(" ", maxTokenText-len(config))), ""},
		"one byte too much":       {packed(config + strings.Repeat(" ", maxTokenText-len(config)+1)), "longer than"},
		"no deflated text":        {tokenPrefix + base64.RawURLEncoding.EncodeToString([]byte("sum \xff\xff\xff\xff")), "do not unpack"},
		"a schedule of no sense":  {packed(config + "\nA paint"), "schedule"},
		"a configuration of none": {packed("strategy"), "configuration"},
	} {
		_, _, err := ParseToken(test.token)
		if got := fmt.Sprint(err); test.says == "" && err != nil || !strings.Contains(got, test.says) {
			t.Errorf("%s: %.80s; want %q", what, got, test.says)
		}
	}
}

func TestToken(t *testing.T) {
	h := sample()
	token := Token(h.Config, h.Schedule)
	if strings.ContainsAny(token, " \n\t") {
		t.Errorf("token %q is not one word", token)
	}
	for _, text := range []string{token, " " + token + "\n", token + "@3"} { // the last is out of an address
		c, s, err := ParseToken(text)
		if err != nil || !reflect.DeepEqual(c, h.Config) || !reflect.DeepEqual(s, h.Schedule) {
			t.Errorf("ParseToken(%q) = %v, %v, %v", text, c, s, err)
		}
	}
}

func TestTokenIsRefusedWithTheReason(t *testing.T) {
	h := sample()
	token := Token(h.Config, h.Schedule)
	flip := []byte(token)
	flip[len(flip)/2] ^= 1
	for text, says := range map[string]string{
		"":                               "does not begin",
		"hello":                          "does not begin",
		"ls0.abc":                        `version "ls0"`,
		"ls12.abc":                       `version "ls12"`,
		token[:len(token)-3]:             "damaged",
		string(flip):                     "damaged",
		tokenPrefix + "!!!":              "damaged",
		token + "AAAA":                   "added",
		tokenPrefix:                      "damaged",
		tokenPrefix + token:              "damaged",
		strings.Repeat("x", maxToken+10): "too many",
		Token(Config{}, nil):             "configuration",
	} {
		if _, _, err := ParseToken(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseToken(%.40q): %v; want an error with %q", text, err, says)
		}
	}
	// No single damaged character goes unnoticed.
	for i := range token {
		damaged := []byte(token)
		damaged[i] = 'A'
		if string(damaged) == token {
			continue
		}
		if c, s, err := ParseToken(string(damaged)); err == nil && (c.String() != h.Config.String() || s.String() != h.Schedule.String()) {
			t.Errorf("a token damaged at %d reads as another run: %v %v", i, c, s)
		}
	}
}

func FuzzToken(f *testing.F) {
	h := sample()
	f.Add(Token(h.Config, h.Schedule))
	f.Add("ls1.")
	f.Add("ls2.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		c, s, err := ParseToken(token)
		if err != nil {
			return
		}
		again, schedule, err := ParseToken(Token(c, s))
		if err != nil || again.String() != c.String() || schedule.String() != s.String() {
			t.Errorf("%q reads as %v %v, and again as %v %v, %v", token, c, s, again, schedule, err)
		}
	})
}
