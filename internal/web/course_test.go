package web

import (
	"testing"

	"lockstep/internal/course"
)

// TestPack: a course that was packed is read as it was, and the same bytes come of it
// each time.
func TestPack(t *testing.T) {
	for _, name := range course.Names() {
		files, closes, err := course.Files(name)
		if err != nil {
			t.Fatal(err)
		}
		defer closes()
		want, err := course.Read(files, name)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := pack(files)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pack(files)
		if err != nil || string(again) != string(packed) {
			t.Errorf("%s: other bytes the second time, %v", name, err)
		}
		unpacked, err := course.Zip(packed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := course.Read(unpacked, name)
		if err != nil || got.ID != want.ID || len(got.Chapters) != len(want.Chapters) || len(got.Levels) != len(want.Levels) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
