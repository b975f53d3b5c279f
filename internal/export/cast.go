package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/lang"
	"lockstep/internal/palette"
	"lockstep/tui/pages"
	"lockstep/tui/paint"
)

// This file records the walkthrough of a lesson in the format of asciinema,
// version 2. The times are computed from how long a frame takes to read.

// The time a frame stays: longer at a question and at a violation.
const (
	usualPace = 2 * time.Second // as the walkthrough plays
	readPace  = 6 * time.Second
)

// A recording is a cast in the making.
type recording struct {
	*pages.Shell
	painter paint.Painter
	out     bytes.Buffer
	at      time.Duration
	lines   []string // on the screen
}

// Cast records the walkthrough of the lesson on a terminal of the given size.
func (l *Lesson) Cast(ctx context.Context, width, height int) ([]byte, error) {
	r, err := l.recorded(ctx, width, height)
	if err != nil {
		return nil, err
	}
	return r.out.Bytes(), nil
}

func (l *Lesson) recorded(ctx context.Context, width, height int) (*recording, error) {
	story, err := l.story(ctx)
	if err != nil {
		return nil, err
	}
	look := lipgloss.NewRenderer(io.Discard)
	look.SetColorProfile(termenv.ANSI256)
	o := pages.Options{Story: story, At: 0, Lang: l.lang, NoAnimation: true, Background: string(palette.OnDark)}
	shell, err := pages.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer shell.End()
	r := &recording{Shell: shell, painter: paint.New(look, palette.OnDark)}
	header, err := json.Marshal(map[string]any{
		"version": 2, "width": width, "height": height, "title": oneLine(l.Title), "env": map[string]string{"TERM": "xterm-256color"},
	})
	if err != nil {
		return nil, err
	}
	r.out.Write(append(header, '\n'))
	r.write("\x1b[?25l\x1b[2J")
	r.do(shell.Init())
	r.do(shell.Update(pages.Size{Width: width, Height: height}))
	l.record(r)
	r.write("\x1b[0m\x1b[?25h")
	if reason := shell.Panicked(); reason != "" {
		return nil, lang.Errorf("the walkthrough: %s", reason)
	}
	return r, nil
}

// record steps through the lesson and answers no question.
func (l *Lesson) record(r *recording) {
	asked := map[int]int{} // the number of questions before a step
	for _, c := range l.Commands {
		asked[c.From] += len(c.Questions)
	}
	for i := range l.Steps {
		switch {
		case i == 0:
		case asked[i] > 0:
			for range asked[i] {
				r.press("0")
			}
		default:
			r.press("right")
		}
		r.draw()
		r.at += usualPace
		if len(l.Steps[i].Violations) > 0 || asked[i+1] > 0 || l.decides(i+1) {
			r.at += readPace - usualPace
		}
	}
}

// decides reports whether a step explains an answer.
func (l *Lesson) decides(step int) bool {
	for _, q := range l.questions() {
		if q.Step == step {
			return true
		}
	}
	return false
}

func (r *recording) press(name string) { r.do(r.Update(pages.Keys{pages.KeyNamed(name)})) }

// do runs a command of the walkthrough to its end.
func (r *recording) do(cmd pages.Cmd) {
	if cmd == nil {
		return
	}
	switch told := cmd().(type) {
	case nil, pages.Quit, pages.Interrupt, pages.Suspend:
	case pages.Batch:
		for _, c := range told {
			r.do(c)
		}
	default:
		r.do(r.Update(told))
	}
}

// draw writes the lines that have changed.
func (r *recording) draw() {
	var b strings.Builder
	lines := strings.Split(r.painter.Frame(r.Lines()), "\n")
	for i, line := range lines {
		if i >= len(r.lines) || r.lines[i] != line {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[0m%s\x1b[0m\x1b[K", i+1, line)
		}
	}
	r.lines = lines
	if b.Len() > 0 {
		r.write(b.String())
	}
}

func (r *recording) write(text string) {
	quoted, _ := json.Marshal(text) // a string always can be
	fmt.Fprintf(&r.out, "[%.1f, \"o\", %s]\n", r.at.Seconds(), quoted)
}
