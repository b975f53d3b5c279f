package pages

import (
	"testing"

	"lockstep/internal/course"
)

// chapters is how many the course has.
func chapters(t testing.TB) int {
	t.Helper()
	usual, err := course.Usual()
	if err != nil {
		t.Fatal(err)
	}
	return len(usual.Chapters)
}
