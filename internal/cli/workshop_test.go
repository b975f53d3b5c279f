package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"lockstep/internal/workshop"
)

// TestQRCode: a terminal shows the code as it was drawn, line by line.
func TestQRCode(t *testing.T) {
	code, err := workshop.QR("http://192.168.1.20:8067/", false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	a.sayLines(code)
	if err := a.out.Flush(); err != nil || out.String() != code || strings.Count(code, "\n") < 10 {
		t.Errorf("%v\n%s\nnot\n%s", err, &out, code)
	}
}

// TestWorkshopRefuses: flags that do not fit are refused before anything is served.
func TestWorkshopRefuses(t *testing.T) {
	for _, test := range []struct {
		line []string
		want string
	}{
		{[]string{"--tls-cert", "x"}, "--tls-cert needs --tls-key"},
		{[]string{"--tls-cert", "x", "--tls-key", "y"}, "--tls-cert: open x"},
		{[]string{"--site", "nowhere"}, "--site: nowhere is not a site"},
		{[]string{"--listen", "nonsense"}, "--listen: \"nonsense\" is not an address"},
		{[]string{"--course", "none", "--listen", "127.0.0.1:0"}, "\"none\" is not a folder"},
		{[]string{"--room", "nowhere/room.db", "--listen", "127.0.0.1:0"}, "nowhere/room.db"},
		{[]string{"more"}, "one word too many"},
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), append([]string{"workshop"}, test.line...), strings.NewReader(""), io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%q: %d %s", test.line, code, &errs)
		}
	}
}
