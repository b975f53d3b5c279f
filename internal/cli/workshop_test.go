package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/workshop"
)

// TestQRCode: a terminal shows the code as it was drawn, line by line.
func TestQRCode(t *testing.T) {
	code := testkit.Must(workshop.QR("http://192.168.1.20:8067/", false))(t)
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	a.sayLines(code)
	if err := a.out.Flush(); err != nil || out.String() != code || strings.Count(code, "\n") < 10 {
		t.Errorf("%v\n%s\nnot\n%s", err, &out, code)
	}
}
