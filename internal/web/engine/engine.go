// Package engine shows the pages of the walkthrough to a browser: it takes what
// happens there and answers with frames, as data that a page of HTML is made of. It
// knows no JavaScript, and so runs anywhere; lockstep/web/wasm is its program.
package engine

import (
	"context"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/tui/pages"
	"lockstep/tui/render"
)

// A Start is what is known when the page is opened.
type Start struct {
	Lang     string `json:"lang"`     // the browser's; another one is English
	Place    string `json:"place"`    // what stands behind the # of the address
	Progress string `json:"progress"` // what was kept
	Still    bool   `json:"still"`    // nothing is to move by itself
	Size     Size   `json:"size"`
	Course   []byte `json:"course"` // a zip; empty for the usual one
}

// A Size is how many cells of text the body has room for.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A Request is one thing that happened in the browser.
type Request struct {
	Size   *Size    `json:"size,omitempty"`
	Press  string   `json:"press,omitempty"` // a key, by its name
	Times  int      `json:"times,omitempty"` // 0 is once
	Write  *Written `json:"write,omitempty"`
	Wheel  int      `json:"wheel,omitempty"`  // up is less than 0
	Place  *string  `json:"place,omitempty"`  // the address has another one
	Story  *string  `json:"story,omitempty"`  // a text that was pasted
	Load   *string  `json:"load,omitempty"`   // progress from a file
	Stored *string  `json:"stored,omitempty"` // another page of the site has kept this progress
	Found  *Finding `json:"found,omitempty"`
}

// A Written is a change of a text: so many letters less at its end, then others.
type Written struct {
	Erase int    `json:"erase"`
	Text  string `json:"text"`
}

// An Answer is what the browser is to do; each has one of these.
type Answer struct {
	Frame *Frame  `json:"frame,omitempty"`
	Save  *string `json:"save,omitempty"` // keep this text
	Copy  string  `json:"copy,omitempty"` // a token
	Job   *Job    `json:"job,omitempty"`  // for another worker
	Stop  int     `json:"stop,omitempty"` // the number of a job that nobody waits for
	Died  string  `json:"died,omitempty"` // the pages are gone, and why
}

// more is by how many lines a frame of a terminal is higher than its body.
const more = 3

// Run shows the pages until ctx ends. Requests come from in, answers go to out,
// which is called by one goroutine at a time.
func Run(ctx context.Context, start Start, in <-chan Request, out func(Answer)) error {
	e := &engine{kept: start.Progress, out: out}
	e.jobs = jobs{send: e.send, under: map[int]chan Finding{}}
	shell, err := e.open(ctx, start)
	if err != nil {
		return err
	}
	defer shell.End()
	happens := make(chan any)
	go func() {
		for {
			select {
			case r := <-in:
				for _, what := range e.happened(ctx, r) {
					select {
					case happens <- what:
					case <-ctx.Done():
						return
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	shell.Live(ctx, happens, func() { e.send(Answer{Frame: e.frame(shell)}) })
	if reason := shell.Panicked(); reason != "" {
		e.send(Answer{Died: reason})
	}
	return ctx.Err()
}

// open is the shell at the place that the address names. Where it names none that
// there is, that is said.
func (e *engine) open(ctx context.Context, start Start) (*pages.Shell, error) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI256)
	o := pages.Options{
		Browser: true, Lang: language(start.Lang), NoAnimation: start.Still, Tour: start.Place == "",
		Progress: (&progress.Text{Read: e.load, Write: e.save}).Store(), Clipboard: e.copy,
	}
	if len(start.Course) > 0 {
		own, err := courseOf(start.Course)
		if err != nil {
			return nil, err
		}
		o.Course, o.CourseAt = own, own.ID
	}
	o.Explorer, o.Matrix = e.jobs.explorer(), e.jobs.matrix()
	shell, err := pages.New(ctx, o, render.NewTheme(r, false).On(render.OnDark))
	if err != nil {
		return nil, err
	}
	shell.Resize(start.Size.Width, start.Size.Height+more)
	if start.Place != "" {
		shell.Update(e.find(ctx, start.Place))
	}
	return shell, nil
}

// language is one that there is, from what a browser says of its user's.
func language(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	for _, known := range prose.Languages() {
		if base == known {
			return known
		}
	}
	return "en"
}

// happened is what a request means to the pages.
func (e *engine) happened(ctx context.Context, r Request) []any {
	switch {
	case r.Size != nil:
		return []any{pages.Size{Width: r.Size.Width, Height: r.Size.Height + more}}
	case r.Press != "":
		keys := make(pages.Keys, max(1, min(r.Times, maxTimes)))
		for i := range keys {
			keys[i] = pages.KeyNamed(r.Press)
		}
		return []any{keys}
	case r.Write != nil:
		var keys pages.Keys
		for range min(r.Write.Erase, maxTimes) {
			keys = append(keys, pages.KeyNamed("backspace"))
		}
		return []any{append(keys, pages.Key{Text: r.Write.Text})}
	case r.Wheel != 0:
		return []any{pages.Wheel{Up: r.Wheel < 0}}
	case r.Place != nil:
		return []any{e.find(ctx, *r.Place)}
	case r.Story != nil:
		return []any{e.parse(*r.Story)}
	case r.Load != nil:
		return []any{pages.Kept{Text: *r.Load}}
	case r.Stored != nil:
		e.stored(*r.Stored)
	case r.Found != nil:
		e.jobs.hear(ctx, *r.Found)
	}
	return nil
}

// maxTimes is how often a request presses a key at most.
const maxTimes = 4096

// errorOf says what is wrong with what was asked for.
func errorOf(err error) pages.Trouble { return pages.Trouble{Err: lang.Errorf("%w", err)} }
