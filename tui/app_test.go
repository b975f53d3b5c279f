package tui

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/pages"
)

func TestRunQuits(t *testing.T) {
	var out bytes.Buffer
	o := Options{Lock: "setnx-expire", NoColor: true}
	testkit.OK(t, Run(t.Context(), o, strings.NewReader("q"), &out))
	if !strings.HasSuffix(out.String(), "Either of these lets you choose a lock and a story:\nlockstep\ngo run .\n") {
		t.Errorf("no last line at the end of %q", out.String())
	}
}

func TestRunIsInterrupted(t *testing.T) {
	var out bytes.Buffer
	err := Run(t.Context(), Options{NoColor: true}, strings.NewReader("\x03"), &out)
	if !errors.Is(err, context.Canceled) {
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

// TestRunPanics: whatever work panics, the terminal is left as it was before
// the panic goes on, with the place where it came from.
func TestRunPanics(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		options    Options
	}{
		{"the matrix", "m", Options{Matrix: &pages.Matrix{
			Locks: []string{"setnx"}, Hazards: []string{"crash"},
			Compute: func(context.Context, func(...explore.Report)) error { panic("broken") },
		}}},
		{"a search", "b\r", Options{Explorer: func(context.Context, *scenarios.Level) (pages.Proof, error) { panic("broken") }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			defer func() {
				reason, _ := recover().(string)
				if !strings.HasPrefix(reason, "broken\n") || !strings.Contains(reason, "app_test.go") {
					t.Errorf("the panic is %q", reason)
				}
				if !strings.Contains(out.String(), ansi.ResetModeAltScreenSaveCursor) {
					t.Errorf("the screen is not left: %q", out.String())
				}
			}()
			c.options.NoColor = true
			_ = Run(t.Context(), c.options, strings.NewReader(c.keys), &out)
		})
	}
}
