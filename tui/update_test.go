package tui

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// wantAt fails if the cursor is not at a step, from 1.
func wantAt(t *testing.T, m *shell, step int) {
	t.Helper()
	if got := view(m).player.at + 1; got != step {
		t.Errorf("at step %d, want %d", got, step)
	}
}

func isQuit(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, ok := cmd().(tea.QuitMsg)
	return ok
}

func TestChooseLockAndStory(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "end", "home", "down", "up", "down")
	press(m, "enter")
	if at(m) != "stories" || on[storiesPage](m).lock.ID != "setnx-expire" || on[storiesPage](m).menu.at != 1 {
		t.Fatalf("after choosing the lock:\n%s", m.View())
	}
	press(m, "enter")
	if at(m) != "player" || view(m).run == nil {
		t.Fatalf("after choosing the story:\n%s", m.View())
	}
	wantAt(t, m, 1)
	press(m, "esc", "up", "enter")
	if at(m) != "lock" || !strings.Contains(m.View(), "setnx_expire.go") {
		t.Fatalf("card and source:\n%s", m.View())
	}
	press(m, "esc", "esc")
	if at(m) != "locks" || on[locksPage](m).menu.at != 1 {
		t.Fatalf("back at lock %d", on[locksPage](m).menu.at)
	}
}

func TestALockWithoutStories(t *testing.T) {
	m := start(t, Options{Lock: "set-lua"}, 80, 24)
	m.stories = nil
	m.do(restack(m.pathTo("set-lua", nil, 0)))
	press(m, "down", "down", "enter")
	if at(m) != "lock" {
		t.Errorf("its card is not shown:\n%s", m.View())
	}
}

func TestSteps(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	last := view(m).player.rows
	press(m, "left")
	wantAt(t, m, 1)
	press(m, "right", "l", "enter")
	wantAt(t, m, 4)
	press(m, "left", "h")
	wantAt(t, m, 2)
	press(m, "G", "n", "G")
	wantAt(t, m, last)
	press(m, "right")
	wantAt(t, m, last)
	press(m, "g")
	wantAt(t, m, 1)
	if m := start(t, Options{Story: parse(t, crashStory), At: 5}, 80, 24); view(m).player.at != 4 {
		t.Errorf("asked for step 5, at step %d", view(m).player.at+1)
	}
	if m := start(t, Options{Story: parse(t, crashStory), At: 500}, 80, 24); view(m).player.at != last-1 {
		t.Errorf("asked for step 500, at step %d", view(m).player.at+1)
	}
}

// TestKeysThatComeAtOnce: a terminal may deliver keys pressed in a row as one
// message.
func TestKeysThatComeAtOnce(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("lllh")})
	wantAt(t, m, 3)
}

func TestViolations(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 24)
	var forth []int
	for range view(m).run.Found {
		press(m, "v")
		forth = append(forth, view(m).violation)
		f := view(m).run.Found[view(m).violation]
		if !view(m).card || view(m).player.at != f.Row || !strings.Contains(check(t, m), "VIOLATED "+f.Invariant) {
			t.Errorf("violation %d:\n%s", view(m).violation, m.View())
		}
	}
	if len(forth) < 2 || !slices.IsSorted(forth) || len(slices.Compact(forth)) != len(forth) {
		t.Errorf("v visited %v", forth)
	}
	press(m, "v")
	if view(m).violation != forth[len(forth)-1] {
		t.Errorf("v after the last violation went to %d", view(m).violation)
	}
	press(m, "V")
	if view(m).violation != forth[len(forth)-2] {
		t.Errorf("V went to %d", view(m).violation)
	}
	press(m, "c")
	if view(m).card {
		t.Error("c did not hide the card")
	}
	press(m, "c")
	press(m, "esc")
	if view(m).card || at(m) != "player" {
		t.Error("esc did not hide the card, or did more")
	}
	press(m, "esc")
	if at(m) != "stories" {
		t.Error("esc did not leave the story")
	}
}

func TestPlay(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	if cmd := press(m, " "); cmd == nil || !view(m).player.playing {
		t.Fatal("space does not play")
	}
	stale := playTick{view(m).player.turn}
	m.Update(answerOf(m, stale))
	wantAt(t, m, 2)
	if press(m, "+") == nil {
		t.Error("another speed asks for no tick")
	}
	m.Update(answerOf(m, stale))
	wantAt(t, m, 2)
	for range 20 {
		m.Update(answerOf(m, playTick{view(m).player.turn}))
	}
	if _, p := story(m).asking(); p == nil || view(m).player.playing {
		t.Errorf("playing did not stop at the question, but at step %d", view(m).player.at+1)
	}
	press(m, "n", "left", " ")
	m.Update(answerOf(m, playTick{view(m).player.turn}))
	if view(m).player.playing || !view(m).card {
		t.Errorf("playing did not stop at the violation, but at step %d", view(m).player.at+1)
	}
	if cmd := press(m, "p"); cmd == nil || view(m).card {
		t.Error("it does not play on from a violation")
	}
	press(m, "p")
	at := view(m).player.at
	m.Update(answerOf(m, playTick{view(m).player.turn}))
	wantAt(t, m, at+1)
}

func TestStaleRunIsDropped(t *testing.T) {
	m := start(t, Options{Lock: "setnx-expire"}, 80, 24)
	_, cmd := m.Update(keyMsg("enter"))
	if at(m) != "player" || cmd == nil {
		t.Fatal("the story was not asked for")
	}
	press(m, "?", "?")
	check(t, m)
	m.Update(keyMsg("esc"))
	m.Update(cmd())
	if view(m).run != nil || at(m) != "stories" {
		t.Error("a run that nobody waits for was taken")
	}
}

func TestAStoryThatFails(t *testing.T) {
	m := start(t, Options{Story: parse(t, "world strategy=set-lua\n----\n\ncrash A\n----\n\nrun A\n----\n")}, 80, 24)
	if view(m).failed == nil || !strings.Contains(check(t, m), "test.txt:7:1") {
		t.Errorf("the error is not shown:\n%s", m.View())
	}
	press(m, "right", "v", "esc")
	if at(m) != "stories" {
		t.Error("esc does not leave it")
	}
}

func TestResize(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, 80, 24)
	before := check(t, m)
	m.Update(tea.WindowSizeMsg{Width: 30, Height: 8})
	if !strings.Contains(check(t, m), "30 x 8") {
		t.Errorf("too small:\n%s", m.View())
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if check(t, m) != before {
		t.Error("the frame does not come back")
	}
}

// TestHugeTerminal: what is drawn in it is bounded, and so is what that takes.
func TestHugeTerminal(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, mostWidth, mostHeight)
	want := check(t, m)
	m.Update(tea.WindowSizeMsg{Width: 65535, Height: 65535})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = m.View()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
		t.Errorf("a frame takes %d bytes", n)
	}
	if m.View() != want {
		t.Error("the frame is not that of the largest terminal that is filled")
	}
}

func TestUnknownOptions(t *testing.T) {
	for _, o := range []Options{{Lock: "none"}, {Lang: "xx"}} {
		if err := Run(t.Context(), o, strings.NewReader(""), nil); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}

// TestNamelessStory: the farewell names no command that would not find the
// run again.
func TestNamelessStory(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, 80, 24)
	if m.place().Story == "" {
		t.Error("a story's farewell does not name it")
	}
	m = start(t, Options{Story: story(m).story, At: 3, Nameless: true}, 80, 24)
	if got := m.place(); got.Story != "" {
		t.Errorf("the farewell names %q", got.Story)
	}
}
