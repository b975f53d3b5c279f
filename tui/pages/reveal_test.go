package pages

import (
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/tui/render"
)

// shows says whether the source that is on the screen has its lesson.
func shows(m *Shell) bool {
	_, code := view(m).code()
	return strings.Contains(text(render.Source(code, m.theme, 300, 1000)), lesson.FaultMark)
}

// TestTheLessonIsHidden until a violation is met or what is asked is answered, and
// stays there, also for one who takes over.
func TestTheLessonIsHidden(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 80, 40)
	press(m, "right")
	if wantIn(t, m, "▸A "); shows(m) {
		t.Error("the lesson gives the fault away")
	}
	press(m, "t")
	if shows(m) {
		t.Error("to take over gives the fault away")
	}
	press(m, "esc", "v")
	if !shows(m) {
		t.Error("the lesson stays hidden")
	}
	press(m, "c", "g")
	if !shows(m) {
		t.Error("it is hidden again")
	}
	press(m, "t")
	if !shows(m) {
		t.Error("it is hidden again in a game")
	}
	m = start(t, Options{Story: parse(t, crashStory), At: 7}, 80, 40)
	if _, open := story(m).asking(); open == nil || shows(m) {
		t.Error("the lesson answers the question")
	}
	press(m, "n")
	if !shows(m) {
		t.Error("it is answered, and the lesson stays hidden")
	}
}
