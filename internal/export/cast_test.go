package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios"
)

// TestCasts: every line of a recording is as its format has it, and each step has come
// to the screen.
func TestCasts(t *testing.T) {
	for _, l := range lessons(t) {
		r, err := l.recorded(t.Context(), 100, 30)
		if err != nil {
			t.Fatal(err)
		}
		wantCast(t, r.out.String(), 100, 30)
		last := ansi.Strip(strings.Join(r.lines, "\n"))
		if n := len(l.Steps); !strings.Contains(last, itoa(n)+"/"+itoa(n)) {
			t.Errorf("%s does not end at its last step:\n%s", l.Name, last)
		}
	}
}

func itoa(n int) string { text, _ := json.Marshal(n); return string(text) }

// wantCast is the format of asciinema, version 2.
func wantCast(t *testing.T, text string, width, height int) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var header struct{ Version, Width, Height int }
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil || header.Version != 2 || header.Width != width || header.Height != height {
		t.Errorf("the header is %s: %v", lines[0], err)
	}
	before := -1.0
	for _, line := range lines[1:] {
		var event []any
		if err := json.Unmarshal([]byte(line), &event); err != nil || len(event) != 3 || event[1] != "o" {
			t.Fatalf("%v: %.100s", err, line)
		}
		at, isTime := event[0].(float64)
		if _, isText := event[2].(string); !isTime || !isText || at < before {
			t.Fatalf("after %v: %.100s", before, line)
		}
		before = at
	}
}

var terminals int

// onTerminal is what a terminal shows after a recording.
func onTerminal(t *testing.T, cast string, width, height int) []string {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("no tmux on the PATH")
	}
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(cast), "\n")[1:] {
		var event []any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		out.WriteString(event[2].(string))
	}
	terminals++ // each has a server of its own: one that ends is in the way of the next
	socket := "lockstep-export-" + itoa(os.Getpid()) + "-" + itoa(terminals)
	file, config := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "config")
	for name, text := range map[string]string{file: out.String(), config: "set -g status off\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-u", "-L", socket, "-f", config}, args...)...)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v %s", args, err, text)
		}
		return string(text)
	}
	in("new-session", "-d", "-x", itoa(width), "-y", itoa(height), "cat "+file+"; tmux -L "+socket+" wait-for -S played; exec sleep 60")
	defer in("kill-server")
	in("wait-for", "played")
	return strings.Split(strings.TrimRight(in("capture-pane", "-p"), "\n"), "\n")
}

// TestCastOnTerminal: a terminal to which a recording is played shows in the end what
// the walkthrough does, hostile texts or not.
func TestCastOnTerminal(t *testing.T) {
	story, err := scenarios.Parse("evil.txt", "evil", "# \x1b[2J\x1b]0;pwned\x07 \u202e \u009b31m<b> `x` \\u0041 \", \"o\nworld strategy=set-del clients=A,B\n----\n\nrun A\n----\n\ncheck\n----\n")
	if err != nil {
		t.Fatal(err)
	}
	result, err := scenarios.Run(t.Context(), story)
	if err != nil {
		t.Fatal(err)
	}
	evil, err := NewLesson(t.Context(), Told{Lang: "en"}, story, result)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Lesson{lessonOf(t, sample, "en"), lessonOf(t, sample, "zh"), evil} {
		r, err := l.recorded(t.Context(), 80, 24)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, line := range r.lines {
			want = append(want, strings.TrimRight(ansi.Strip(line), " "))
		}
		got := onTerminal(t, r.out.String(), 80, 24)
		if strings.Join(got, "\n") != strings.TrimRight(strings.Join(want, "\n"), "\n") {
			t.Errorf("%s: the terminal shows\n%s\nand the walkthrough\n%s", l.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if text := r.out.String(); strings.Contains(text, "pwned\\u0007") || strings.Contains(text, "\u202e") || strings.Contains(text, "\\u001b]") {
			t.Error("a caption reached the terminal as it is")
		}
	}
}
