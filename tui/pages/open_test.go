package pages

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// placed are the pages that have an address of their own: see testdata/places.txt.
var placed = waysOf("places")

// computed is the canned matrix with nothing left to compute.
func computed(t testing.TB) *Matrix {
	m := canned(t, nil)
	m.Known, m.Compute = cannedCells(t, m), nil
	return m
}

// goTo opens an address, as the engine of a browser does.
func goTo(t testing.TB, m *Shell, address string) {
	t.Helper()
	drain(m, m.Update(GoTo{Place: ParsePlace(address)}))
}

// TestPlaces: the address of each kind of page leads to the same page in a new program, and
// from there to itself. What a page cannot lead to is not in its address: where it was
// opened from.
func TestPlaces(t *testing.T) {
	kinds := map[reflect.Type]bool{}
	for place, keys := range placed {
		m := start(t, Options{Matrix: computed(t), Browser: true}, 80, 24)
		if keys != nil || place == "" {
			press(m, keys...)
			if got := m.Frame().Place; got != place {
				t.Errorf("%v leads to %q, want %q", keys, got, place)
				continue
			}
		}
		want := m.Frame()
		n := start(t, Options{Matrix: computed(t), Browser: true}, 80, 24)
		comes := n.Update(GoTo{Place: ParsePlace(place)})
		if at := n.Frame().Place; at != place {
			t.Errorf("while what is at %q is computed, the address is %q", place, at)
		}
		drain(n, comes)
		got := n.Frame()
		if strings.Contains(strings.Join(got.Status[:], " "), n.Text("running")) {
			t.Errorf("%q waits for ever", place)
		}
		if got.Place != place || keys != nil && !slices.Equal(got.Title[:], want.Title[:]) || place != "" && !got.Linked {
			t.Errorf("%q leads to %q, %v, want %v; linked %v", place, got.Place, got.Title, want.Title, got.Linked)
		}
		kinds[reflect.TypeOf(n.page())] = true
	}
	for _, p := range []page{&locksPage{}, &storiesPage{}, &storyPage{}, &coursePage{}, &chapterPage{}, &levelsPage{}, &gamePage{}, &matrixPage{}, &cellPage{}, &searchPage{}, &forkPage{}, &textPage{}, &tourPage{}, &helpPage{}, &glossaryPage{}} {
		if !kinds[reflect.TypeOf(p)] {
			t.Errorf("no address leads to a %T", p)
		}
	}
}

// TestPlacesOfChapters: whoever goes through a chapter is, at each step, where its address leads
// somebody else, in any language.
func TestPlacesOfChapters(t *testing.T) {
	m := start(t, Options{Browser: true, Lang: "en"}, 100, 40)
	other := start(t, Options{Browser: true, Lang: "zh"}, 100, 40)
	for _, c := range testkit.Some(t, m.course.Chapters, 2, 1) {
		goTo(t, m, ChapterPlace(c.ID).String())
		met := map[string]bool{}
		for steps := 0; inChapter(m); steps++ {
			if steps > 300 {
				t.Fatalf("%s has no end", c.ID)
			}
			place := m.Frame().Place
			if met[place] {
				t.Fatalf("%q names two steps", place)
			}
			met[place] = true
			goTo(t, other, place)
			if got := other.Frame().Place; got != place || other.notice != "" || chapter(other).at != chapter(m).at {
				t.Fatalf("%q leads to %q %s", place, got, other.notice)
			}
			if here, ok := chapter(m).page.(stepwise); ok && *here.cursor() != *chapter(other).page.(stepwise).cursor() {
				t.Errorf("%q leads to another step", place)
			}
			if at(m) == "game" || atEnd(m) {
				endPart(m)
			} else {
				forward(m)
			}
		}
		if len(met) < 2*len(partsOf(c)) {
			t.Errorf("%s: %d places", c.ID, len(met))
		}
	}
}

// TestPageBelow: a page without an address of its own is at that of the page below it,
// which is still there on the way back.
func TestPageBelow(t *testing.T) {
	m := start(t, Options{Browser: true}, 80, 24)
	press(m, "enter", "down", "enter", "right", "t")
	press(m, "esc", "d")
	f := m.Frame()
	if f.Place != "the_lock_keeps_the_other_out@2" || f.Depth != 4 {
		t.Fatalf("at %q, %d", f.Place, f.Depth)
	}
	story := m.stack[2]
	drain(m, m.Update(GoTo{Place: ParsePlace(f.Place), Depth: 3}))
	if m.page() != story {
		t.Errorf("back to %T", m.page())
	}
	drain(m, m.Update(GoTo{Place: ParsePlace("course:"), Depth: 2}))
	if m.Frame().Place != "course:" {
		t.Error("a page that has gone is not opened again")
	}
}

// TestNoSuchPlace: an address that names nothing says which there are, and leads to those
// that are like it, whatever it contains.
func TestNoSuchPlace(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := start(t, Options{Lang: lang, Matrix: computed(t)}, 80, 24)
		for address, near := range map[string]string{
			"nosuch": "", "set-dle": "course:set-del", "a_late_dell": "a_late_del", "course:nosuch": "", "course:set-de": "course:set-del", "course:set-del/nosuch": "course:set-del", "matrix:setnx/crahs": "lock:setnx",
			"level:overse": "level:oversell", "level:a\x1b[31m\u202e": "", "which:nothing-such": "", "help:nosuch": "", "kind:name": "", strings.Repeat("x", 20000): "",
		} {
			goTo(t, m, address)
			p, ok := m.page().(*searchPage)
			if !ok || !strings.Contains(m.notice, "#matrix:") {
				t.Errorf("%q leads to %T, and %q is said", address, m.page(), m.notice)
				continue
			}
			var found []string
			for _, hit := range p.hits {
				found = append(found, hit.String())
				if m.pagesOf(hit.Place) == nil {
					t.Errorf("%q: %s leads nowhere", address, hit)
				}
			}
			if near != "" && !slices.Contains(found, near) {
				t.Errorf("%q finds %v, not %q", address, found, near)
			}
			check(t, m)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	for place := range placed {
		f.Add(place)
	}
	for _, odd := range []string{":", "@", "a@0", "a@01", ":a:b@2", "course:/x@3", "course:a/b/c", "level:x/@1", "a:b/c/d@4", "a@", "a@x", "a@-3", "a@3@4", "help:help:a@2", "a@99999999999999999999"} {
		f.Add(odd)
	}
	f.Fuzz(func(t *testing.T, address string) {
		p := ParsePlace(address)
		if again := ParsePlace(p.String()); again != p {
			t.Errorf("%q is %+v, and %q is %+v", address, p, p.String(), again)
		}
	})
}
