// Package engine shows the pages of the walkthrough in a browser: it takes
// requests and answers with frames, as data for HTML. It contains no JavaScript
// and runs anywhere; package wasm is its program.
package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/pages"
)

// A Start is the state when the page opens.
type Start struct {
	Lang     string `json:"lang"`     // the browser's language
	Place    string `json:"place"`    // the address's fragment
	Progress string `json:"progress"` // the stored progress
	Still    bool   `json:"still"`    // no animation
	Course   []byte `json:"course"`   // a zip; empty for the default course
	Made     string `json:"made"`     // the program that made the matrix of the site; "" for none
}

// A Request is an event in the browser.
type Request struct {
	Press  string   `json:"press,omitempty"` // a key, by its name
	Times  int      `json:"times,omitempty"` // 0 means once
	Write  *Written `json:"write,omitempty"`
	Place  *string  `json:"place,omitempty"`  // the address's new fragment ...
	Depth  int      `json:"depth,omitempty"`  // ... and the depth of the frame that had it; 0 for none
	Story  *string  `json:"story,omitempty"`  // a pasted text
	Load   *string  `json:"load,omitempty"`   // progress from a file
	Stored *string  `json:"stored,omitempty"` // progress that another page of the site has stored
	Found  *Finding `json:"found,omitempty"`
}

// A Written is a change of a text: letters removed from its end, then others
// appended.
type Written struct {
	Erase int    `json:"erase"`
	Text  string `json:"text"`
}

// An Answer tells the browser what to do; one field is set.
type Answer struct {
	Frame *pages.Frame `json:"frame,omitempty"`
	Save  *string      `json:"save,omitempty"`  // a text to store
	Aside *string      `json:"aside,omitempty"` // a damaged text to store elsewhere
	Copy  string       `json:"copy,omitempty"`  // a token to copy
	Job   *Job         `json:"job,omitempty"`   // a job for another worker
	Stop  int          `json:"stop,omitempty"`  // a job to cancel
	Died  string       `json:"died,omitempty"`  // why the engine has ended
}

// Run shows the pages until ctx ends. It reads requests from in and calls out
// with answers, from one goroutine at a time.
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
				what := e.happened(ctx, r)
				if what == nil {
					continue
				}
				select {
				case happens <- what:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	var first any
	if start.Place != "" {
		first = e.find(ctx, start.Place, 0)
	}
	shell.Live(ctx, first, happens, func() { e.send(Answer{Frame: shell.Frame()}) })
	if reason := shell.Panicked(); reason != "" {
		e.send(Answer{Died: reason})
	}
	return ctx.Err()
}

// First returns the frame that a new visitor sees first.
func First(ctx context.Context, start Start) (*pages.Frame, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first *pages.Frame
	var died error
	err := Run(ctx, start, nil, func(a Answer) {
		if a.Died != "" {
			died = errors.New(a.Died)
		}
		if a.Frame != nil && first == nil && has(a.Frame) {
			first = a.Frame
			for i := range first.Sections {
				first.Sections[i].Legend = nil // the engine has it
			}
			cancel()
		}
	})
	if first != nil {
		return first, nil
	}
	return nil, cmp.Or(died, err)
}

// has reports whether a frame has anything in its sections.
func has(f *pages.Frame) bool {
	return slices.ContainsFunc(f.Sections, func(s pages.Section) bool { return len(s.Lines)+len(s.Rows) > 0 })
}

// Places returns the addresses that have first frames: "", the stories at the first step and
// at the first violation, chapters, levels, locks, their code, and single pages.
func Places(ctx context.Context, c *course.Course) ([]string, error) {
	places := []string{"", "course:", "level:", "which:", "diploma:", "tour:"}
	for _, chapter := range c.Chapters {
		places = append(places, "course:"+chapter.ID)
	}
	for i := range c.Levels {
		places = append(places, "level:"+c.Levels[i].ID)
	}
	for _, lock := range strategies.Catalogue() {
		places = append(places, "lock:"+lock.ID, "source:"+lock.ID)
	}
	for _, story := range scenarios.Stories() {
		result, err := scenarios.Run(ctx, story)
		if err != nil {
			return nil, err
		}
		places = append(places, pages.Place{Name: story.Name, Step: 1}.String())
		if run := lesson.Of(result); len(run.Found) > 0 && run.Found[0].Row > 0 {
			places = append(places, pages.Place{Name: story.Name, Step: run.Found[0].Row + 1}.String())
		}
	}
	return places, nil
}

// open returns the pages.
func (e *engine) open(ctx context.Context, start Start) (*pages.Shell, error) {
	o := pages.Options{
		Browser: true, Tour: start.Place == "", Lang: language(start.Lang), NoAnimation: start.Still,
		Progress: (&progress.Text{Read: e.load, Write: e.save, Aside: e.aside}).Store(), Clipboard: e.copy,
	}
	if len(start.Course) > 0 {
		own, err := courseOf(start.Course)
		if err != nil {
			return nil, err
		}
		o.Course, o.CourseAt = own, own.ID
	}
	o.Explorer, o.Matrix = e.jobs.prove, e.jobs.matrix(start.Made)
	return pages.New(ctx, o), nil
}

// language picks a known language by the browser's tag.
func language(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	for _, known := range prose.Languages() {
		if base == known {
			return known
		}
	}
	return "en"
}

// happened returns the event of the pages that a request is; nil for none.
func (e *engine) happened(ctx context.Context, r Request) any {
	switch {
	case r.Press != "":
		keys := make(pages.Keys, max(1, min(r.Times, maxTimes)))
		for i := range keys {
			keys[i] = pages.KeyNamed(r.Press)
		}
		return keys
	case r.Write != nil:
		var keys pages.Keys
		for range min(r.Write.Erase, maxTimes) {
			keys = append(keys, pages.KeyNamed("backspace"))
		}
		for _, letter := range r.Write.Text {
			keys = append(keys, pages.KeyNamed(string(letter)))
		}
		return keys
	case r.Place != nil:
		return e.find(ctx, *r.Place, r.Depth)
	case r.Story != nil:
		return e.parse(*r.Story)
	case r.Load != nil:
		return pages.Kept{Text: *r.Load}
	case r.Stored != nil:
		e.stored(*r.Stored)
		return pages.Stored{Text: *r.Stored}
	case r.Found != nil:
		e.jobs.hear(ctx, *r.Found)
	}
	return nil
}

// maxTimes bounds how often a request presses a key.
const maxTimes = 4096

// errorOf is the answer for an error.
func errorOf(err error) pages.Trouble { return pages.Trouble{Err: lang.Errorf("%w", err)} }

// An engine is a walkthrough and what it stores.
type engine struct {
	out  func(Answer)
	jobs jobs

	mu   sync.Mutex // guards the following and out
	kept string     // the text as the browser has it
}

func (e *engine) send(a Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out(a)
}

func (e *engine) load() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kept
}

func (e *engine) save(text string) error {
	e.stored(text)
	e.send(Answer{Save: &text})
	return nil
}

// aside has a damaged text kept beside the progress, for somebody who can read it.
func (e *engine) aside(text string) string {
	e.send(Answer{Aside: &text})
	return "localStorage: *.damaged"
}

// stored takes the stored progress, perhaps of another page of the site.
func (e *engine) stored(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = text
}

func (e *engine) copy(token string) error {
	e.send(Answer{Copy: token})
	return nil
}

// find opens what an address's fragment names.
func (e *engine) find(ctx context.Context, address string, depth int) any {
	to := pages.GoTo{Place: pages.ParsePlace(address), Depth: depth}
	if strings.HasPrefix(to.Name, "ls") && strings.Contains(to.Name, ".") {
		l, err := scenarios.FromToken(ctx, to.Name)
		if err != nil {
			return errorOf(err)
		}
		to.Open = &pages.Open{Story: l.Story, At: max(1, cmp.Or(to.Step, l.At)), Nameless: true}
	}
	return to
}

// parse opens a pasted story.
func (e *engine) parse(text string) any {
	story, err := scenarios.Parse("pasted", "pasted", text)
	if err != nil {
		return errorOf(err)
	}
	return pages.Open{Story: story, At: 1, Nameless: true}
}
