package pages

import (
	"testing"

	"lockstep/internal/course"
)

// chapters is how many the course has.
func chapters(t testing.TB) int {
	t.Helper()
	usual := course.Usual()
	return len(usual.Chapters)
}
