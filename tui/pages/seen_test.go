package pages

import (
	"strings"
	"testing"
)

// wantAt fails if the cursor is not at a step, from 1.
func wantAt(t testing.TB, m *Shell, step int) {
	t.Helper()
	if got := view(m).player.at + 1; got != step {
		t.Errorf("at step %d, want %d", got, step)
	}
}

func isQuit(cmd Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(Quit)
	return ok
}

func wantText(t testing.TB, m *Shell, words ...string) {
	t.Helper()
	frame := strings.Join(strings.Fields(check(t, m)), " ")
	for _, want := range words {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in\n%s", want, m.View())
		}
	}
}

func wantIn(t testing.TB, m *Shell, texts ...string) {
	t.Helper()
	frame := check(t, m)
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			t.Errorf("no %q in\n%s", text, frame)
		}
	}
}

func wantNotIn(t testing.TB, m *Shell, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(m.View(), text) {
			t.Errorf("%q in\n%s", text, m.View())
		}
	}
}

// What tests look at: the page on top, whatever covers it.

// uncovered is the page on top, or the one below what covers it; of a chapter, the
// page in it.
func uncovered(m *Shell) page {
	p := m.page()
	if over, ok := p.(cover); ok {
		p = over.covers()
	}
	if l, ok := p.(*chapterPage); ok {
		p = l.page
	}
	return p
}

// at names the page on top.
func at(m *Shell) string {
	switch uncovered(m).(type) {
	case *locksPage:
		return "locks"
	case *storiesPage:
		return "stories"
	case *textPage:
		if place, _ := m.placeOf(m.page()); place.Kind == "source" {
			return "lock"
		}
		return "goal"
	case *storyPage:
		return "player"
	case *matrixPage, *cellPage:
		return "matrix"
	case *levelsPage:
		return "levels"
	case *gamePage:
		return "game"
	case *waysPage:
		return "ways"
	case *forkPage:
		return "which"
	case *coursePage:
		return "course"
	case *readPage:
		return "page"
	case *againPage:
		return "again"
	case *tourPage:
		return "tour"
	case *comparePage:
		return "compare"
	case *searchPage:
		return "search"
	case *listPage:
		return map[string]string{"ifonly": "if only", "side_by_side": "against", "courses": "courses"}[on[listPage](m).id]
	}
	return "unknown"
}

// on is the page on top if it is of a kind, or an empty one.
func on[P any](m *Shell) *P {
	if p, ok := any(uncovered(m)).(*P); ok {
		return p
	}
	return new(P)
}

func story(m *Shell) *storyPage { return on[storyPage](m) }

func play(m *Shell) *gamePage { return on[gamePage](m) }

func searching(m *Shell) *searchPage { return on[searchPage](m) }

func view(m *Shell) *viewer {
	if p, ok := uncovered(m).(*gamePage); ok {
		return &p.viewer
	}
	if p, ok := uncovered(m).(*tourPage); ok {
		return &p.viewer
	}
	return &story(m).viewer
}

// chapter is the open part of a chapter, nil if none is.
func chapter(m *Shell) *chapterPage {
	p := m.page()
	if over, ok := p.(cover); ok {
		p = over.covers()
	}
	l, _ := p.(*chapterPage)
	return l
}

func inChapter(m *Shell) bool { return chapter(m) != nil }

func atEnd(m *Shell) bool {
	if l := chapter(m); l != nil {
		_, end, _ := l.ends()
		return end
	}
	return true
}

func whole(m *Shell) bool { _, ok := uncovered(m).(*cellPage); return ok }

// isCovered says whether the help or a token covers the page.
func isCovered(m *Shell) bool { _, ok := m.page().(cover); return ok }

// works says whether a key does something now.
func works(m *Shell, k key) bool {
	found, ok := find(m.keys(), k.on[0])
	return ok && !found.off && found.does == k.does
}

// isOn says whether the page on top is of a kind, covering another or not.
func isOn[P page](m *Shell) bool { _, ok := m.page().(P); return ok }
