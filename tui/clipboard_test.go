package tui

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestCopySequence(t *testing.T) {
	text := "ls1." + strings.Repeat("x", 1000)
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	for env, want := range map[string]string{
		"":     plain,
		"TMUX": plain + "\x1bPtmux;" + strings.ReplaceAll(plain, "\x1b", "\x1b\x1b") + "\x1b\\",
	} {
		got := copySequence(text, func(name string) string { return map[bool]string{true: "set"}[name == env] })
		if got != want {
			t.Errorf("in %q:\n%q, want\n%q", env, got, want)
		}
	}
	inScreen := copySequence(text, func(name string) string { return map[bool]string{true: "set"}[name == "STY"] })
	if got := strings.NewReplacer("\x1bP", "", "\x1b\\", "").Replace(inScreen); got != plain {
		t.Errorf("in screen: %q", inScreen)
	}
}
