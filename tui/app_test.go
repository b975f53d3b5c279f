package tui

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestRunQuits(t *testing.T) {
	var out bytes.Buffer
	o := Options{Lock: "setnx-expire", NoColor: true}
	if err := Run(t.Context(), o, strings.NewReader("q"), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "Run `lockstep` or `go run .` to choose a lock and a story.\n") {
		t.Errorf("no farewell at the end of %q", out.String())
	}
}

func TestRunIsInterrupted(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{NoColor: true}, strings.NewReader("\x03"), &out)
	if !errors.Is(err, tea.ErrInterrupted) {
		t.Errorf("ctrl+c gives %v", err)
	}
}

func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := Run(ctx, Options{NoColor: true}, strings.NewReader(""), &out); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}
