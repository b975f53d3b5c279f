package workshop

import (
	"reflect"
	"testing"
)

func aPoll(id string) *poll {
	right := 1
	return &poll{ID: id, Place: "a_story@3", Right: &right, Said: map[string]pollText{"en": {Question: id + "?", Options: []string{"no", "yes"}}}}
}

// TestPolls: a poll is asked once, closed, opened again and begun anew.
func TestPolls(t *testing.T) {
	r := &room{people: map[int]*person{1: {ID: 1, Name: "A", streams: 1}, 2: {ID: 2, Name: "B", streams: 2}, 3: {ID: 3, Name: "C"}}}
	if r.ask(aPoll("first")); r.current.State != isOpen || r.current.Round != 1 {
		t.Errorf("%+v", r.current)
	}
	first := r.current
	first.answers[1], first.answers[3] = 0, 1
	if got := r.missing(); !reflect.DeepEqual(got, []string{"B"}) {
		t.Errorf("missing: %q", got)
	}
	r.ask(aPoll("second"))
	if r.ask(aPoll("first")); r.current != first || len(r.polls) != 2 || len(first.answers) != 2 {
		t.Errorf("asked again: %+v", r.current)
	}
	if got, want := r.lost("en"), []wrong{{"second", "second?", 0, 0, 2}, {"first", "first?", 1, 2, 0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("lost: %+v", got)
	}
	for _, test := range []struct {
		do, state      string
		round, answers int
	}{{"close", isClosed, 1, 2}, {"reopen", isOpen, 1, 2}, {"reveal", isRevealed, 1, 2}, {"reset", isOpen, 2, 0}} {
		if !first.do(test.do) || first.State != test.state || first.Round != test.round || len(first.answers) != test.answers {
			t.Errorf("%s: %+v", test.do, first)
		}
	}
	if first.do("explode") {
		t.Error("a poll explodes")
	}
}

// TestBoard: the fewest steps are first, then who came first; a team has its best.
func TestBoard(t *testing.T) {
	r := &room{people: map[int]*person{1: {Name: "A", Team: "red"}, 2: {Name: "B", Team: "blue"}, 3: {Name: "C", Team: "red"}, 4: {Name: "D"}}, contest: &contest{By: "person", results: map[int]result{}}}
	c := r.contest
	for _, add := range []struct {
		id   int
		r    result
		best bool
	}{{1, result{9, 1}, true}, {2, result{7, 2}, true}, {3, result{7, 3}, true}, {1, result{9, 4}, false}, {1, result{8, 5}, true}, {4, result{5, 6}, true}, {4, result{6, 7}, false}, {9, result{1, 8}, true}} {
		if got := c.add(add.id, add.r); got != add.best {
			t.Errorf("%+v: %t", add, got)
		}
	}
	if got, want := r.board(), []place{{1, "D", "", 5, 6, 4}, {2, "B", "blue", 7, 2, 2}, {2, "C", "red", 7, 3, 3}, {4, "A", "red", 8, 5, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	c.By = "team"
	if got, want := r.board(), []place{{1, "blue", "blue", 7, 2, 2}, {1, "red", "red", 7, 3, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestRank: of two with the same name each has its own rank; nobody is beyond the ranking.
func TestRank(t *testing.T) {
	r := &room{people: map[int]*person{}, contest: &contest{By: "person", results: map[int]result{}}}
	for id := 1; id <= mostPlaces+2; id++ {
		r.people[id] = &person{ID: id, Name: "Same", Team: "all"}
		r.contest.results[id] = result{steps: id, n: id}
	}
	for _, id := range []int{1, 2, mostPlaces + 2} {
		if got := r.rankOf(r.people[id]); got != id {
			t.Errorf("%d has rank %d", id, got)
		}
	}
	r.contest.By = "team"
	if got := r.rankOf(r.people[7]); got != 1 {
		t.Errorf("the team has rank %d", got)
	}
	if got := r.rankOf(&person{ID: 99}); got != 0 {
		t.Errorf("who has sent nothing has rank %d", got)
	}
}
