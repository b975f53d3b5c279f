package pages

import (
	"slices"
	"strings"
	"testing"
)

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
	if !view(m).full || !strings.Contains(check(t, m), "What happened") {
		t.Errorf("c did not open the whole card:\n%s", m.View())
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
	if cmd := press(m, "p"); cmd == nil || !view(m).player.playing {
		t.Fatal("p does not play")
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
	cmd := m.Update(keyMsg("enter"))
	if at(m) != "player" || cmd == nil {
		t.Fatal("the story was not asked for")
	}
	press(m, "?", "esc")
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

// TestNamelessStory: the last line names no command that would not find the
// run again.
func TestNamelessStory(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, 80, 24)
	if m.place().Story == "" {
		t.Error("a story's lastLine does not name it")
	}
	m = start(t, Options{Story: story(m).story, At: 3, Nameless: true}, 80, 24)
	if got := m.place(); got.Story != "" {
		t.Errorf("the last line names %q", got.Story)
	}
}

// TestHelpStopsThePlaying, which goes on when the help is closed.
func TestHelpStopsThePlaying(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	press(m, "p")
	tick := answerOf(m, playTick{view(m).player.turn})
	press(m, "?")
	m.Update(tick)
	wantAt(t, m, 1)
	if cmd := m.Update(keyMsg("esc")); cmd == nil {
		t.Error("it does not play on")
	}
	m.Update(answerOf(m, playTick{view(m).player.turn}))
	wantAt(t, m, 2)
}
