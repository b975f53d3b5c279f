package progress

import (
	"reflect"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/prose"
)

// TestDiploma: what was won counts, what was given up, claimed wrongly or belongs to
// another course does not, and nothing counts twice.
func TestDiploma(t *testing.T) {
	c := course.Usual()
	book := prose.Load("en")
	p := New()
	p.Chapters["set-del"] = Chapter{Done: true}
	p.Chapters["fenced"] = Chapter{}
	p.Chapters["of another course"] = Chapter{Done: true}
	p.Levels["delete-the-next"] = Level{Moves: 12}
	p.Levels["foreign-del"] = Level{Moves: 11, GaveUp: true}
	p.Levels["compared-in-one"] = Level{Claimed: true}
	p.Levels["own-key"] = Level{Claimed: true}
	p.Levels["not of it"] = Level{Moves: 1}
	p.Predictions["the_holder_enters_again"] = map[string]Answer{"a": {First: true}, "b": {Last: true}} // in two chapters
	p.Predictions["not of it"] = map[string]Answer{"a": {First: true}}
	got := p.Diploma(c, book, "en")
	want := Diploma{Done: 1, Chapters: 32, Right: 1, Asked: 2, Won: []Won{{"Make A delete B's lock", 12, 10}}, Held: []string{"Compare and delete in one"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
