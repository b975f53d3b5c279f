package engine

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/course"
	"lockstep/internal/matrix"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/pages"
	"lockstep/tui/render"
)

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A browser is what is at the other end.
type browser struct {
	*testing.T
	in    chan Request
	out   chan Answer
	saved string
	frame *pages.Frame
}

func open(t *testing.T, start Start) *browser {
	t.Helper()
	b := &browser{T: t, in: make(chan Request), out: make(chan Answer, 1000)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, start, b.in, func(a Answer) { b.out <- a }) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return b
}

// sees reads answers until a frame has the texts.
func (b *browser) sees(texts ...string) *pages.Frame {
	b.Helper()
	late := time.After(5 * time.Minute) // however slow the machine is
	for {
		if b.frame != nil && hasAll(b.frame, texts) {
			return b.frame
		}
		select {
		case a := <-b.out:
			if a.Frame != nil {
				b.frame = a.Frame
			}
			if a.Save != nil {
				b.saved = *a.Save
			}
			if a.Died != "" {
				b.Fatal(a.Died)
			}
		case <-late:
			b.Fatalf("no %q in\n%s", texts, all(b.frame))
		}
	}
}

func hasAll(f *pages.Frame, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(all(f), text) {
			return false
		}
	}
	return true
}

// all is the text of a frame.
func all(f *pages.Frame) string {
	if f == nil {
		return "no frame"
	}
	lines := []string{f.Title[0], f.Title[1]}
	for _, line := range shown(f) {
		lines = append(lines, line.Text())
	}
	for _, part := range f.Sections {
		lines = append(lines, part.Title)
		for _, row := range part.Rows {
			lines = append(lines, row.Text)
		}
	}
	return strings.Join(append(lines, f.Status[0], f.Status[1], f.Notice), "\n")
}

// shown is what a frame shows in lines.
func shown(f *pages.Frame) (out []render.Line) {
	for _, part := range f.Sections {
		out = append(out, part.Lines...)
	}
	return out
}

func (b *browser) press(names ...string) {
	for _, name := range names {
		b.in <- Request{Press: name}
	}
}

func pointer[V any](v V) *V { return &v }

// TestPages: the pages come as text and classes, with what can be pressed, and with
// what is to be said.
func TestPages(t *testing.T) {
	b := open(t, Start{Lang: "en-GB", Still: true})
	b.sees("You decide what happens next.")
	b.press("esc")
	f := b.sees("In the tutorials", "▸   setnx: SETNX and DEL ")
	if !strings.HasPrefix(f.Says, "setnx: ") || f.Lang != "en" || f.Words["play"] == "" {
		t.Errorf("says %q in %s, %v", f.Says, f.Lang, f.Words)
	}
	names := map[string]pages.FrameKey{}
	for _, k := range f.Keys {
		names[k.Press] = k
	}
	for _, none := range []string{"ctrl+c", "ctrl+z", "q", "tab", "esc"} {
		if _, has := names[none]; has {
			t.Errorf("a browser has the key %s", none)
		}
	}
	if names["c"].Does == "" || names["?"].Does == "" || names["L"].Does == "" {
		t.Errorf("keys %v", f.Keys)
	}
	zones := 0
	for _, line := range shown(f) {
		for _, p := range line {
			if p.Press == "enter" || p.Press == "down" {
				zones++
			}
		}
	}
	if zones < 20 {
		t.Errorf("%d places to click on", zones)
	}
	b.in <- Request{Press: "down", Times: 2}
	b.sees("▸   multi-setnx-expire: ")
	b.press("L")
	if f := b.sees("教程里的写法"); f.Lang != "zh" {
		t.Errorf("language %s", f.Lang)
	}
}

// TestPlaces: an address leads to a story and a step, or to the run of a token; one
// that leads nowhere is told.
func TestPlaces(t *testing.T) {
	b := open(t, Start{Place: "a_late_del@3"})
	if f := b.sees("step 3/"); f.Place != "a_late_del@3" || !strings.Contains(f.Says, " ") {
		t.Errorf("at %s, says %q", f.Place, f.Says)
	}
	c := history.Default()
	c.Strategy = "set-del"
	schedule := testkit.Must(history.ParseSchedule("A*2 B"))(t)
	token := history.Token(c, schedule)
	b.in <- Request{Place: &token}
	if f := b.sees("step 1/", "SET NX EX"); f.Place != token+"@1" {
		t.Errorf("at %s, want %s", f.Place, token)
	}
	b.in <- Request{Place: pointer(token + "@3")}
	if f := b.sees("step 3/"); f.Place != token+"@3" {
		t.Errorf("at %s, want the third step", f.Place)
	}
	b.press("y")
	b.sees("then # and the token")
	b = open(t, Start{Place: "ls1.nonsense"})
	if f := b.sees("In the tutorials"); f.Notice == "" {
		t.Error("nothing is said of a token that is none")
	}
}

// TestWorkOfAnAddress: a page that an address opens at the start begins its work, and keys
// are heard beside it.
func TestWorkOfAnAddress(t *testing.T) {
	b := open(t, Start{Place: "matrix:setnx/crash"})
	late := time.After(5 * time.Minute)
	for begun := false; !begun; {
		select {
		case a := <-b.out:
			begun = a.Job != nil && a.Job.Level == ""
		case <-late:
			t.Fatal("the matrix is not computed")
		}
	}
	for range 3 {
		select {
		case b.in <- Request{Found: &Finding{ID: 1, Cells: []explore.Report{{Config: history.Config{Strategy: "setnx"}, Hazard: "crash"}}}}:
		case <-late:
			t.Fatal("requests are not heard")
		}
	}
	b.press("right")
	b.press("?")
	if f := b.sees("The worst of any schedule"); f.Place != "help:matrix:setnx/hang" {
		t.Errorf("at %s", f.Place)
	}
}

// TestMatrixOfTheSite: the matrix that comes with a site is shown at once, with the program
// that made it and with what a lock's contract allows, and is computed again only if that is
// asked for.
func TestMatrixOfTheSite(t *testing.T) {
	b := open(t, Start{Place: "matrix:setnx/crash", Made: "lockstep v9"})
	job := func() Job {
		for late := time.After(5 * time.Minute); ; {
			select {
			case a := <-b.out:
				if a.Job != nil {
					return *a.Job
				}
			case <-late:
				t.Fatal("nothing is asked for")
			}
		}
	}
	asked := job()
	if !asked.Made {
		t.Fatal("the matrix is computed")
	}
	cells := cellsOf(t, "setnx", "zk-lock")
	cells[3].Of(history.LockRecovers).Allowed = "it is allowed"
	b.in <- Request{Found: &Finding{ID: asked.ID, Cells: through(t, cells)}}
	b.in <- Request{Found: &Finding{ID: asked.ID, End: true}}
	f := b.sees("4 of 544 cells, computed for this site by lockstep v9")
	if !strings.Contains(all(f), "✗ stuck") || !strings.Contains(all(f), "o allowed") {
		t.Errorf("no verdicts in\n%s", all(f))
	}
	b.press("r")
	if job().Made {
		t.Error("it is not computed again")
	}
	b.in <- Request{Found: &Finding{ID: asked.ID + 1, Cells: through(t, cells[:1])}}
	if f := b.sees("1 of 544 cells"); strings.Contains(all(f), "for this site") || slices.ContainsFunc(f.Keys, func(k pages.FrameKey) bool { return k.Press == "r" }) {
		t.Errorf("what is computed here is said to be the site's:\n%s", all(f))
	}
}

// cellsOf are the cells of two locks under a crash and a hang.
func cellsOf(t *testing.T, ids ...string) []explore.Report {
	t.Helper()
	locks := testkit.Must(everyLock())(t)
	locks = slices.DeleteFunc(locks, func(l explore.Lock) bool { return !slices.Contains(ids, l.ID) })
	hazards := slices.DeleteFunc(slices.Clone(explore.Hazards()), func(h explore.Hazard) bool { return h.ID != "crash" && h.ID != "hang" })
	cells := testkit.Must(explore.Matrix(t.Context(), locks, hazards, explore.Within(matrix.Limits(memory), "A", "B"), 1, nil, nil))(t)
	return cells
}

// TestFirst: what is shown before the engine is there is what the engine shows: the list of
// locks with the run of one, or a site's own course.
func TestFirst(t *testing.T) {
	for _, lang := range prose.Languages() {
		start := Start{Lang: lang, Still: true}
		first := testkit.Must(First(t.Context(), start))(t)
		again, err := First(t.Context(), start)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("%s: another frame the second time, %v", lang, err)
		}
		if first.Section(pages.StepsSection).Rows == nil || first.Lang != lang {
			t.Errorf("%s: no run in\n%s", lang, all(first))
		}
		text, err := json.Marshal(first)
		if err != nil || len(text) > 60_000 {
			t.Errorf("%s: %d bytes, %v", lang, len(text), err)
		}
		t.Logf("%s: %d bytes", lang, len(text))
	}
	if _, err := First(t.Context(), Start{Course: []byte("no zip")}); err == nil {
		t.Error("a course that is none has a frame")
	}
}

// TestAnswers: each answer to a question is a piece of the page that presses its key.
func TestAnswers(t *testing.T) {
	b := open(t, Start{Place: "a_late_del@25"})
	f := b.sees("Whose lock does B's DEL remove?")
	for press, words := range map[string]string{"1": "nobody", "2": "C", "3": "B"} {
		pressed := slices.ContainsFunc(shown(f), func(line render.Line) bool {
			return slices.ContainsFunc(line, func(p render.Span) bool { return p.Press == press && strings.Contains(p.Text, words) })
		})
		if !pressed {
			t.Errorf("no place to click on for %s", words)
		}
	}
	b.press("2")
	b.sees("Your answer: C")
}

// TestPasted: a story that was pasted is played; one with a mistake is refused with
// its line.
func TestPasted(t *testing.T) {
	b := open(t, Start{Lang: "zh", Place: "a_late_del"})
	b.sees("步骤 1/")
	b.in <- Request{Story: pointer("# Mine.\nworld strategy=set-lua clients=A,B\n----\n\nrun A\n----\n")}
	b.sees("Mine.")
	b.in <- Request{Story: pointer("world strategy=set-lue\n----\n")}
	if f := b.sees("set-lue"); !strings.Contains(f.Notice, "1") {
		t.Errorf("said: %q", f.Notice)
	}
	b.in <- Request{Story: pointer(strings.Repeat("x", 1<<20+1))}
	b.sees("1048577")
}

// TestKept: what is done is handed out to be kept, is known the next time, and what was
// kept elsewhere is added.
func TestKept(t *testing.T) {
	b := open(t, Start{Place: "a_late_del"})
	b.sees("step 1/")
	b.press("esc", "esc", "c", "enter")
	b.sees("part 1 of")
	for b.saved == "" {
		b.frame = nil
		b.press("L")
		b.sees()
	}
	again := open(t, Start{Progress: b.saved})
	again.sees("Begin the course")
	again.in <- Request{Load: pointer(`{"version":1,"last":"","chapters":{"setnx":{"part":"claim","done":true}}}`)}
	again.sees("1 of 32 chapters are done")
	again.in <- Request{Load: pointer("{")}
	again.sees("damaged or of another program")
}

// TestTwoTabs: what another page of the site stores is shown, and what it deletes is gone.
func TestTwoTabs(t *testing.T) {
	b := open(t, Start{Place: "course:"})
	b.sees("Choose a chapter", "0 done")
	b.in <- Request{Stored: pointer(`{"version":1,"chapters":{"setnx":{"part":"claim","done":true}}}`)}
	if f := b.sees("1 done", "setnx (done)"); f.Notice != "" {
		t.Errorf("said: %q", f.Notice)
	}
	b.in <- Request{Stored: pointer("no progress")}
	b.in <- Request{Stored: pointer(`{"version":1}`)}
	b.sees("0 done")
	b.press("enter", "right")
	b.sees("part 2 of")
}

// TestSearch: letters go into a text, and a change of it comes as a whole.
func TestSearch(t *testing.T) {
	b := open(t, Start{Place: "a_late_del"})
	b.sees("step 1/")
	b.press("esc", "esc", "/")
	b.in <- Request{Write: &Written{Text: "lating"}}
	b.in <- Request{Write: &Written{Erase: 3, Text: "e"}}
	if f := b.sees("/late_", "A late DEL"); f.Writes == nil || *f.Writes != "late" {
		t.Errorf("written: %v", f.Writes)
	}
}

// TestEveryStory: its frames are there in every language, and no piece of one is
// markup of a terminal.
func TestEveryStory(t *testing.T) {
	stories := scenarios.Stories()
	for _, lang := range prose.Languages() {
		for _, s := range stories[:8] {
			b := open(t, Start{Lang: lang, Place: s.Name})
			b.sees("1/")
			b.press("G", "0", "G")
			if f := b.sees("t="); strings.Contains(all(f), "\x1b") {
				t.Errorf("%s: %q", s.Name, all(f))
			}
		}
	}
}

// TestFirstPages: of each kind of address in the list, the first frame is that page, with its
// text, in each language.
func TestFirstPages(t *testing.T) {
	c := course.Usual()
	places := testkit.Must(Places(t.Context(), c))(t)
	for _, language := range prose.Languages() {
		book := prose.Load(language)
		for place, text := range map[string]string{
			"": book.Fill("tour_start", prose.TextFacts{From: 5}), "course:": book.Text("choose_chapter"), "course:set-lua": book.Lock("set-lua").Name, "level:": book.Text("levels"), "level:oversell": book.Text("goal"),
			"lock:set-del": book.Lock("set-del").Name, "source:set-del": "SetNX", "which:": book.Text("which"), "diploma:": book.Text("diploma"), "tour:": book.Text("tour"),
		} {
			if !slices.Contains(places, place) {
				t.Errorf("%q is not in the list", place)
				continue
			}
			f, err := First(t.Context(), Start{Lang: language, Place: place, Still: true})
			if err != nil || text == "" || !strings.Contains(all(f), text) || !strings.HasPrefix(f.Place, place) {
				t.Errorf("%s %q is %s at %q, %v, want %q", language, place, all(f), f.Place, err, text)
			}
		}
	}
}
