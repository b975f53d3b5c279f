package tui

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"lockstep/internal/palette"
	"lockstep/internal/testkit"
)

const (
	white = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	black = "\x1b]11;rgb:00/00/00\a"
)

// reads are what a program reads of what comes in these pieces, and what it is told.
func reads(t *testing.T, pieces ...string) (string, []palette.Background) {
	t.Helper()
	var told []palette.Background
	source := &given{pieces: pieces}
	in := &input{file: source, tell: func(b palette.Background) { told = append(told, b) }}
	var got bytes.Buffer
	for p := make([]byte, 256); ; {
		n, err := in.Read(p)
		got.Write(p[:n])
		if err == io.EOF {
			return got.String(), told
		}
	}
}

// given is a file of which each piece is one read.
type given struct {
	*os.File
	pieces []string
}

func (g *given) Read(p []byte) (int, error) {
	if len(g.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.pieces[0])
	if g.pieces[0] = g.pieces[0][n:]; g.pieces[0] == "" {
		g.pieces = g.pieces[1:]
	}
	return n, nil
}

func TestInput(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		want   string
		told   palette.Background
	}{
		{"no answer", []string{"jk", "\x1b", "\x1b[A"}, "jk\x1b\x1b[A", ""},
		{"light", []string{white}, "", palette.OnLight},
		{"dark", []string{black}, "", palette.OnDark},
		{"between keys", []string{"j" + white + "k"}, "jk", palette.OnLight},
		{"in pieces", []string{"j", "\x1b]1", "1;rgb:ffff/ff", "ff/ffff\x1b", "\\k"}, "jk", palette.OnLight},
		{"only the first is an answer", []string{black, white}, white, palette.OnDark},
		{"no colour", []string{"\x1b]11;?\aj"}, "j", ""},
		{"another command", []string{"\x1b]52;c;\aj"}, "\x1b]52;c;\aj", ""},
		{"alt+] and more", []string{"\x1b]", "j", "k"}, "\x1b]jk", ""},
		{"after alt+] and another command", []string{"\x1b]\x1b]52;c;\a" + white + "k"}, "\x1b]\x1b]52;c;\ak", palette.OnLight},
		{"no end", []string{"\x1b]11;" + strings.Repeat("x", 80), "j"}, "\x1b]11;" + strings.Repeat("x", 80) + "j", ""},
		{"a grey", []string{"\x1b]11;rgb:2e2e/3434/4040\a"}, "", palette.OnDark},
		{"yellow is light, blue dark", []string{"\x1b]11;rgb:fdf6/f6e3/0000\a"}, "", palette.OnLight},
	} {
		got, told := reads(t, c.pieces...)
		if got != c.want {
			t.Errorf("%s: the program reads %q, not %q", c.name, got, c.want)
		}
		if c.told == "" && len(told) > 0 || c.told != "" && (len(told) != 1 || told[0] != c.told) {
			t.Errorf("%s: it is told %q, not %q", c.name, told, c.told)
		}
	}
}

// FuzzInput: whatever comes, in whatever pieces, no key is lost, and nothing panics.
func FuzzInput(f *testing.F) {
	f.Add("j"+white+"k", uint8(3))
	f.Add("\x1b]11;\x1b]11;", uint8(1))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		var pieces []string
		for rest := text; rest != ""; {
			n := min(len(rest), int(size)+1)
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		got, told := reads(t, pieces...)
		without := len(text) - len(got)
		if without < 0 || without > longest+256 {
			t.Errorf("of %q is left %q", text, got)
		}
		if len(told) > 1 {
			t.Errorf("%q tells %q", text, told)
		}
	})
}

// TestAsksTheTerminal: the screen has the colours for the background that the terminal
// answers with, and the answer is no key.
func TestAsksTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("COLORTERM", "truecolor")
	t.Setenv("CI", "")
	screen, program, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	defer screen.Close()
	defer program.Close()
	testkit.OK(t, pty.Setsize(program, &pty.Winsize{Rows: 24, Cols: 80}))
	over := make(chan error, 1)
	go func() { over <- Run(t.Context(), Options{AskBackground: true}, program, program) }()
	shown := make(chan string)
	go func() {
		for p := make([]byte, 4096); ; {
			n, err := screen.Read(p)
			if err != nil {
				return
			}
			select {
			case shown <- string(p[:n]):
			case <-t.Context().Done():
				return
			}
		}
	}()
	var seen strings.Builder
	never := time.After(5 * time.Minute) // so that what does not come fails
	until := func(what string) {
		t.Helper()
		for !strings.Contains(seen.String(), what) {
			select {
			case text := <-shown:
				seen.WriteString(text)
			case <-never:
				t.Fatalf("no %q in %q", what, seen.String())
			}
		}
	}
	until("\x1b]11;?")
	seen.Reset()
	testkit.Must(screen.WriteString(white))(t)
	until("38;2;0;104;138") // the light theme's colour of a heading
	testkit.Must(screen.WriteString("q"))(t)
	until("go run .")
	if err := <-over; err != nil {
		t.Error(err)
	}
}
