package pages

import (
	"strings"

	"lockstep/internal/lesson"
)

// shows says whether the source that is on the screen has its lesson.
func shows(m *Shell) bool {
	_, code := view(m).code()
	return strings.Contains(text(m.Source(code, 300, 1000)), lesson.FaultMark)
}
