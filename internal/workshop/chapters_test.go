package workshop

import (
	"path/filepath"
	"testing"

	"lockstep/internal/testkit"
)

// TestChapters: a trainer sees all chapters of the course, what each takes, which are
// extras, and which of them is open.
func TestChapters(t *testing.T) {
	s := testkit.Must(New(t.Context(), Options{File: filepath.Join(t.TempDir(), "room.db"), Course: "redis-locks-in-an-hour", Tell: func(err error) { t.Error(err) }}))(t)
	defer s.Close()
	s.place = "a_lost_reply_locks_its_sender_out"
	list := s.agendaOf("en")
	if len(list) != len(s.course.Chapters) {
		t.Fatalf("%d chapters of %d", len(list), len(s.course.Chapters))
	}
	if first, want := list[0], (slotView{"A door for one", "course:a-door-for-one", 6, false, false}); first != want {
		t.Errorf("%+v, not %+v", first, want)
	}
	if open, want := list[5], (slotView{"No answer is not a no", "course:no-answer", 7, true, true}); open != want {
		t.Errorf("%+v, not %+v", open, want)
	}
}
