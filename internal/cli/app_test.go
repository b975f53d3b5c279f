package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"lockstep/internal/course"
	"reflect"
	"strings"
	"testing"

	"lockstep/sim/history"
)

const crash = "a_crash_between_setnx_and_expire"

// TestWalkthrough: on a terminal, and only if nothing speaks against it, the
// walkthrough opens with what the command line says.
func TestWalkthrough(t *testing.T) {
	bare := walkOptions{Lang: "en"}
	config := history.Default()
	config.Strategy = "setnx"
	token := history.Token(config, history.Schedule{{Verb: history.Step, Client: "A"}})
	for _, c := range []struct {
		line     string
		env      string
		terminal bool
		opens    bool
		want     walkOptions // but for its story
		story    string
	}{
		{line: "", terminal: true, opens: true, want: bare},
		{line: ""},
		{line: "", env: "LOCKSTEP_PLAIN", terminal: true},
		{line: "--ascii --no-color --lang zh", terminal: true, opens: true,
			want: walkOptions{Lang: "zh", ASCII: true, NoColor: true}},
		{line: "--no-animation", terminal: true, opens: true, want: walkOptions{Lang: "en", NoAnimation: true}},
		{line: "--theme light", terminal: true, opens: true, want: walkOptions{Lang: "en", Background: "light"}},
		{line: "", env: "LOCKSTEP_NO_ANIMATION", terminal: true, opens: true, want: walkOptions{Lang: "en", NoAnimation: true}},
		{line: "--no-mouse", terminal: true, opens: true, want: walkOptions{Lang: "en", NoMouse: true}},
		{line: "", env: "LOCKSTEP_NO_MOUSE", terminal: true, opens: true, want: walkOptions{Lang: "en", NoMouse: true}},
		{line: "", env: "NO_COLOR", terminal: true, opens: true, want: walkOptions{Lang: "en", NoColor: true}},
		{line: "run " + crash, terminal: true, opens: true,
			want: walkOptions{Lang: "en", At: 1}, story: crash},
		{line: "run " + crash},
		{line: "run " + crash, env: "LOCKSTEP_PLAIN", terminal: true},
		{line: "run --plain " + crash, terminal: true},
		{line: "run --json " + crash, terminal: true},
		{line: "run --at 7 --strategy setnx-expire " + crash, terminal: true, opens: true,
			want: walkOptions{Lang: "en", At: 7}, story: crash},
		{line: "run --at 7 --strategy set-lua " + crash, terminal: true},
		{line: "run --set ttl=6s " + crash, terminal: true, opens: true,
			want: walkOptions{Lang: "en", At: 1, Nameless: true}, story: crash},
		{line: "run ../../scenarios/stories/" + crash + ".txt", terminal: true, opens: true,
			want: walkOptions{Lang: "en", At: 1, Nameless: true}, story: crash},
		{line: "replay --walk " + token, terminal: true, opens: true,
			want: walkOptions{Lang: "en", At: 1, Nameless: true}, story: "a_token"},
		{line: "replay " + token, terminal: true},
		{line: "list", terminal: true},
	} {
		t.Run(strings.TrimSpace(c.env+" "+c.line), func(t *testing.T) {
			t.Setenv("NO_COLOR", "")
			t.Setenv("LOCKSTEP_PLAIN", "")
			t.Setenv("LOCKSTEP_NO_ANIMATION", "")
			t.Setenv("LOCKSTEP_NO_MOUSE", "")
			if c.env != "" {
				t.Setenv(c.env, "no") // the value does not matter
			}
			c.want.AskBackground = c.opens && !strings.Contains(c.line, "--theme")
			opened, got, story, stdout := walked(t, c.terminal, c.line)
			if opened != c.opens || !reflect.DeepEqual(got, c.want) || story != c.story {
				t.Errorf("opened %v with %+v on %q", opened, got, story)
			}
			if (stdout == "") != c.opens {
				t.Errorf("stdout: %q", stdout)
			}
		})
	}
}

// walked runs a command line with a walkthrough that only says how it was
// opened.
func walked(t *testing.T, terminal bool, line string) (opened bool, o walkOptions, story, text string) {
	var stdout, stderr bytes.Buffer
	a := newApp(strings.NewReader(""), &stdout, &stderr)
	a.terminal = terminal
	a.walk = func(_ context.Context, with walkOptions, _ io.Reader, _ io.Writer) error {
		if opened, o = true, with; o.Story != nil {
			story, o.Story = o.Story.Name, nil
		}
		if o.Matrix == nil || o.Explorer == nil || o.OnStuck == nil {
			t.Error("the walkthrough has no matrix, no explorer, or nobody who tells of stuck code")
		}
		if o.Progress == nil {
			t.Error("the walkthrough has no store for the progress")
		}
		if len(o.Courses) != len(course.Names()) {
			t.Errorf("the walkthrough offers %d courses", len(o.Courses))
		}
		o.Matrix, o.Explorer, o.OnStuck, o.Progress, o.Tour, o.Courses = nil, nil, nil, nil, false, nil
		return nil
	}
	if code := a.run(t.Context(), strings.Fields(line)); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	return opened, o, story, stdout.String()
}

func TestExit(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
		want string
	}{
		{"none", t.Context(), nil, 0, ""},
		{"unexpected", t.Context(), unexpected(errors.New("x")), 1, "lockstep: x\n"},
		{"not done", t.Context(), errors.New("x"), 2, "lockstep: x\n"},
		{"see", t.Context(), &exitError{code: exitUsage, err: errors.New("x"), see: "y"}, 2, "lockstep: x; see y\n"},
		{"one line", t.Context(), errors.New("x\ny\x1b"), 2, "lockstep: x; y\uFFFD\n"},
		{"interrupted", cancelled, unexpected(errors.New("x")), 130, "lockstep: interrupted\n"},
		{"search", cancelled, interrupted("x", 1, 2), 1, "lockstep: x: interrupted after 1 of 2; what has not been searched is INCONCLUSIVE\n"},
		{"left", t.Context(), context.Canceled, 130, "lockstep: interrupted\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			a := newApp(nil, io.Discard, &stderr)
			if code := a.exit(c.ctx, nil, c.err); code != c.code || stderr.String() != c.want {
				t.Errorf("%d %q, want %d %q", code, &stderr, c.code, c.want)
			}
		})
	}
}
