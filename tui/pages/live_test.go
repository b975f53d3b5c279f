package pages

import (
	"context"
	"path/filepath"
	"testing"

	"lockstep/internal/progress"
)

// live shows the pages to one who presses keys, the last of which ends it, and
// returns what is said then.
func live(t testing.TB, o Options, keys ...string) (goodbye string) {
	t.Helper()
	if o.Progress == nil {
		o.Progress = progress.In(filepath.Join(t.TempDir(), "lockstep"))
	}
	s := New(t.Context(), o)
	defer s.End()
	happens := make(chan any, len(keys)+1)
	happens <- Size{80, 24}
	for _, k := range keys {
		happens <- keyMsg(k)
	}
	drawn := 0
	if how := s.Live(t.Context(), nil, happens, func() { drawn++ }); how != (Quit{}) {
		t.Errorf("left by %#v", how)
	}
	if least := len(keys); drawn < least {
		t.Errorf("drawn %d times, want %d or more", drawn, least)
	}
	return s.Goodbye()
}

// TestLive: keys lead on, work is done beside them, and the loop ends as the pages
// are left or with its context.
func TestLive(t *testing.T) {
	live(t, Options{}, "enter", "enter", "right", "q")
	s := start(t, Options{Lock: "setnx-expire"}, 80, 24)
	ctx, stop := context.WithCancel(t.Context())
	happens := make(chan any, 1)
	happens <- keyMsg("enter")
	draw := func() {
		if view(s).run != nil {
			stop()
		}
	}
	if how := s.Live(ctx, nil, happens, draw); how != nil || at(s) != "player" {
		t.Errorf("ended by %v at %s", how, at(s))
	}
	happens <- keyMsg("ctrl+c")
	if how := s.Live(t.Context(), nil, happens, draw); how != (Interrupt{}) {
		t.Errorf("ctrl+c ends it by %#v", how)
	}
}
