package scenarios

import (
	"slices"
	"testing"

	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// TestWhichLock: every choice leads on, every question and advice is reached exactly by
// going down, each text is there in every language, and each counterexample does the harm
// that the explorer found of the lock under the hazard.
func TestWhichLock(t *testing.T) {
	tree := WhichLock()
	reached := map[string]bool{}
	var down func(id string, above []string)
	down = func(id string, above []string) {
		if slices.Contains(above, id) {
			t.Fatalf("%q leads back to %s", above, id)
		}
		reached[id] = true
		_, advised := tree.Advice[id]
		for _, c := range tree.Question[id] {
			down(c.Leads, append(slices.Clone(above), id))
		}
		if tree.Question[id] == nil && !advised {
			t.Errorf("%q: there is no question and no advice %s", above, id)
		}
	}
	down(tree.Root, nil)
	var texts []string
	led := func(id string) {
		if texts = append(texts, id); !reached[id] {
			t.Errorf("nothing leads to %s", id)
		}
	}
	for id, choices := range tree.Question {
		led(id)
		for _, c := range choices {
			texts = append(texts, c.ID)
		}
	}
	for id, a := range tree.Advice {
		led(id)
		list := StandingOf(a.Lock)
		if len(list) == 0 {
			t.Fatalf("%s: nothing is known of %s", id, a.Lock)
		}
		for _, s := range a.Shows {
			config, schedule, err := history.ParseToken(s.Token)
			if err != nil || config.Strategy != a.Lock {
				t.Fatalf("%s: the token is of %s, %v", id, config.Strategy, err)
			}
			at := slices.IndexFunc(list, func(known Standing) bool { return known.Hazard == s.Hazard })
			done, err := Look(t.Context(), config, schedule, nil)
			if err != nil || at < 0 {
				t.Fatalf("%s, %s: %v", id, s.Hazard, err)
			}
			if !slices.ContainsFunc(done.Violations, func(v history.Violation) bool { return history.HarmOf(v.Invariant) == list[at].Harm }) {
				t.Errorf("%s, %s: the token violates %v, which is no %s", id, s.Hazard, done.Violations, list[at].Harm)
			}
		}
	}
	for _, id := range texts {
		for _, language := range prose.Languages() {
			book := bookIn(t, language)
			if book.Text("which_"+id) == "" {
				t.Errorf("%s: there is no text for %s", language, id)
			}
		}
	}
}

// TestStandingOf takes the gravest harm of each cell.
func TestStandingOf(t *testing.T) {
	list := StandingOf("fenced")
	got := map[string]history.Harm{}
	for _, s := range list {
		got[s.Hazard] = s.Harm
	}
	for hazard, want := range map[string]history.Harm{"crash": "", "overrun": history.Inside, "lost-reply": history.ShutOut, "node-restart": history.Damage} {
		if harm, known := got[hazard]; !known || harm != want {
			t.Errorf("%s: %q, %t", hazard, harm, known)
		}
	}
}

// TestNeedless: a lock's own faults are those that its remedy does not share. A fencing
// token is no such remedy: the resource refuses then, and clients are still not kept apart.
func TestNeedless(t *testing.T) {
	for lock, want := range map[string][]string{
		"set-del":            {"overrun", "client-clock", "late-request", "node-restart", "node-clock", "eviction", "failover", "cancel"},
		"set-lua":            nil, // fenced has fewer stale writes, and as many clients inside
		"fenced":             nil, // what answers it is no lock
		"optimistic-version": nil,
	} {
		list := StandingOf(lock)
		var got []string
		for _, s := range list {
			if s.Needless {
				got = append(got, s.Hazard)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", lock, got)
		}
	}
}

// TestStarts: each question of where to begin has a reason for each answer in every language, and leads to a lock's chapter; the last one whatever is answered.
func TestStarts(t *testing.T) {
	list := WhichLock().Begin
	for i, start := range list {
		story, err := Find(start.Story)
		if err != nil {
			t.Fatal(err)
		}
		asks := slices.DeleteFunc(slices.Clone(story.Steps), func(s Step) bool { return len(s.Predict) == 0 })
		if len(asks) == 0 {
			t.Fatalf("%s asks nothing", start.Story)
		}
		asked := asks[len(asks)-1].Predict
		last := &asked[len(asked)-1]
		for _, answer := range last.Choices() {
			for _, language := range prose.Languages() {
				if last.Because(language, answer) == "" || len(last.Choices()) < 3 {
					t.Errorf("%s: %q does not say in %s why %s", start.Story, last.Question, language, answer)
				}
			}
		}
		for _, chapter := range []string{start.Wrong, start.Right} {
			if known := StandingOf(chapter) != nil; known != (chapter != "") || chapter == "" && (chapter == start.Wrong || i == len(list)-1) {
				t.Errorf("%s leads to %q", start.Story, chapter)
			}
		}
	}
}
