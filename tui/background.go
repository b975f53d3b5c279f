package tui

import (
	"bytes"
	"io"
	"runtime"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"lockstep/internal/palette"
)

// This file asks the terminal for its background: OSC 11 of xterm's control sequences.
// Nothing waits for the answer, which some terminals never give: the screen has the
// colours for an unknown background until then.

// A file is what Bubble Tea needs of an input to read it until it ends.
type file interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

// An input is a terminal's input without its answer about the background.
type input struct {
	file
	tell func(palette.Background) // the answer
	held []byte                   // the beginning of what may be the answer
	done bool
}

// inputOf returns the input of a terminal that can be asked. Windows reports keys as
// events, so an answer would not come as text.
func inputOf(in io.Reader, out io.Writer) (*input, bool) {
	from, reads := in.(file)
	to, writes := out.(file)
	if !reads || !writes || runtime.GOOS == "windows" {
		return nil, false
	}
	return &input{file: from}, term.IsTerminal(int(from.Fd())) && term.IsTerminal(int(to.Fd()))
}

// Read reads keys. It reads nothing, without an error, when there is only the answer.
func (in *input) Read(p []byte) (int, error) {
	held := copy(p, in.held)
	in.held = nil
	n, err := in.file.Read(p[held:])
	if n += held; err != nil {
		return n, err
	}
	return in.without(p, n), nil
}

// answerBegins is how an answer begins; BEL or ESC \ ends it. longest bounds it.
const (
	answerBegins = "\x1b]11;"
	longest      = 64
)

// without takes the answer out of the first n bytes, and holds back what may be its
// beginning. It returns how many bytes are left. An Esc alone is a key.
func (in *input) without(p []byte, n int) int {
	at := begins(p[:n])
	if at == n || in.done {
		return n
	}
	answer := p[at:n]
	end, size := bytes.IndexByte(answer, '\a'), 1
	if end < 0 {
		end, size = bytes.Index(answer, []byte("\x1b\\")), 2
	}
	if end < 0 && len(answer) < longest {
		in.held = bytes.Clone(answer)
		return at
	}
	in.done = true
	if end < 0 {
		return n
	}
	if b := groundOf(string(answer[len(answerBegins):end])); b != palette.OnUnknown {
		in.tell(b)
	}
	return at + copy(answer, answer[end+size:])
}

// begins returns where an answer begins, perhaps with a part of its beginning at the end;
// the length if there is none.
func begins(p []byte) int {
	if at := bytes.Index(p, []byte(answerBegins)); at >= 0 {
		return at
	}
	for part := len(answerBegins) - 1; part > 1; part-- {
		if bytes.HasSuffix(p, []byte(answerBegins[:part])) {
			return len(p) - part
		}
	}
	return len(p)
}

// groundOf tells from a colour, in the form of X11, whether a background is dark.
func groundOf(answer string) palette.Background {
	c := ansi.XParseColor(answer)
	if c == nil {
		return palette.OnUnknown
	}
	red, green, blue, _ := c.RGBA()
	if (2*red+5*green+blue)/8 < 1<<15 { // about as bright as eyes find them
		return palette.OnDark
	}
	return palette.OnLight
}
