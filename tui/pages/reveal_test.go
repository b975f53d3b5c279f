package pages

import (
	"strings"

	"lockstep/internal/lesson"
	"lockstep/tui/render"
)

// shows says whether the source that is on the screen has its lesson.
func shows(m *Shell) bool {
	_, code := view(m).code()
	return strings.Contains(text(render.Source(code, m.theme, 300, 1000)), lesson.FaultMark)
}
