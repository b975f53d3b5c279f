package pages

import (
	"math"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// goTo opens an address, as the engine of a browser does.
func goTo(t *testing.T, m *Shell, address string) {
	t.Helper()
	request, ok := ParsePlace(address).Request()
	if !ok {
		t.Fatalf("%q names no page", address)
	}
	drain(m, m.Update(request))
}

// TestNoSuchPlace: an address of a chapter, a part or a level that there is not leads to
// what there is, and says so, whatever it contains.
func TestNoSuchPlace(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := start(t, Options{Lang: lang}, 80, 24)
		for address, page := range map[string]string{
			"course:nosuch": "course", "course:nosuch/break@3": "course", "course:/break": "course", "level:nosuch": "levels", "level:a\x1b[31m\u202e": "levels",
			"course:set-del/nosuch": "course", "course:set-del/nosuch@4": "course", "course:set-del/break/more": "course",
		} {
			goTo(t, m, address)
			if at(m) != page {
				t.Errorf("%q leads to %s", address, at(m))
			}
			if m.notice == "" {
				t.Errorf("%q: nothing said in\n%s", address, m.View())
			}
			check(t, m)
		}
	}
}

// TestPlaces: whoever goes through a chapter is, at each step, where its address leads
// somebody else, in any language.
func TestPlaces(t *testing.T) {
	m := start(t, Options{Browser: true, Lang: "en"}, 100, 40)
	other := start(t, Options{Browser: true, Lang: "zh"}, 100, 40)
	for _, c := range testkit.Some(t, m.course.Chapters, 2, 1) {
		goTo(t, m, Chapter{ID: c.ID}.Place().String())
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
			if got := other.Frame().Place; got != place || other.notice != "" || chapter(other).at.at != chapter(m).at.at {
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

// TestPlaceIsWhole: what is written for an address is what is read from it, even where a
// text of somebody else has the signs of addresses.
func TestPlaceIsWhole(t *testing.T) {
	for _, p := range []Place{
		{}, {"a_late_del", 3}, {"a_late_del", 0}, Chapter{}.Place(), Chapter{ID: "set-del"}.Place(), Chapter{"set-del", "play-2", 0}.Place(),
		Chapter{"set-del", "break", 12}.Place(), {"lst1." + strings.Repeat("x_-", 300), 40},
	} {
		if got := ParsePlace(p.String()); got != p {
			t.Errorf("%q reads as %+v, and %+v was written", p, got, p)
		}
	}
	for address, want := range map[string]Place{"a@": {"a", 0}, "a@x": {"a", 0}, "a@-3": {"a", 0}, "a@99999999999999999999": {"a", math.MaxInt}, "a@3@4": {"a", 0}, "@": {}} {
		if got := ParsePlace(address); got != want {
			t.Errorf("%q reads as %+v", address, got)
		}
	}
}
