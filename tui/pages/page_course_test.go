package pages

import (
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
)

// chapters is how many the course has.
func chapters(t testing.TB) int {
	t.Helper()
	usual := testkit.Must(course.Usual())(t)
	return len(usual.Chapters)
}
