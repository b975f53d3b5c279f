package course

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/strategies"
)

func usual(t *testing.T) *Course {
	t.Helper()
	return Usual()
}

// TestEveryLockIsAChapter: each lock once.
func TestEveryLockIsAChapter(t *testing.T) {
	var got, want []string
	for _, c := range usual(t).Chapters {
		got = append(got, c.Lock)
	}
	for _, info := range strategies.Catalogue() {
		want = append(want, info.ID)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("chapters\n%q\nlocks\n%q", got, want)
	}
}

// TestEveryChapterAsks: in each there is a question, all of whose answers are
// explained (see TestEveryPredictionIsExplained).
func TestEveryChapterAsks(t *testing.T) {
	for _, c := range usual(t).Chapters {
		asks := 0
		for _, s := range c.Plays() {
			for i := range s.Steps {
				asks += len(s.Steps[i].Predict)
				if strings.HasPrefix(s.Steps[i].Text, "replay") {
					t.Errorf("%s: %s still has a replay", c.Lock, s.Name)
				}
			}
		}
		if asks == 0 {
			t.Errorf("%s asks nothing", c.Lock)
		}
	}
}

// TestPlaceOfARun: whether a chapter's first run breaks its lock is not to be known from its place,
// except in the first chapter, where a learner sees a lock at work before anything else.
func TestPlaceOfARun(t *testing.T) {
	first, both := 0, 0
	for i, c := range usual(t).Chapters {
		if c.Works == nil || c.Breaks == nil {
			continue
		}
		plays := c.Plays()
		if both++; plays[0] == c.Breaks {
			first++
		}
		if len(plays) != 2+len(c.Stories) || !slices.Contains(plays, c.Works) || i == 0 && plays[0] != c.Works {
			t.Errorf("%s plays %q first, and %d runs", c.ID, plays[0].Name, len(plays))
		}
	}
	if first < both/3 || first > both-both/3 {
		t.Errorf("the run that breaks the lock comes first in %d of %d chapters", first, both)
	}
}

func TestStoryForALock(t *testing.T) {
	works := testkit.Must(scenarios.Find("the_lock_keeps_the_other_out"))(t)
	named := works.For("set-del")
	if text := named.Steps[0].Text; !strings.Contains(text, "strategy=set-del ") || named.Steps[0].Text == works.Steps[0].Text {
		t.Errorf("a story for set-del begins with %s", text)
	}
	real, err := scenarios.Find("stock_oversold")
	if err != nil || len(real.Steps) == len(real.WithoutReplays().Steps) {
		t.Errorf("%v: the library's own story must keep its replays", err)
	}
}

// TestChaptersHaveLevels: what a learner tries of a chapter is proved: what is against
// its fix cannot be won. No level comes twice, and each has a name of its own.
func TestChaptersHaveLevels(t *testing.T) {
	levels := usual(t).Playable()
	seen := map[string]string{}
	for _, c := range usual(t).Chapters {
		ids := c.Levels()
		if len(ids) == 0 {
			t.Errorf("%s has no level", c.Lock)
		}
		for _, id := range ids {
			i := slices.IndexFunc(levels, func(l scenarios.Level) bool { return l.ID == id })
			if i < 0 {
				t.Errorf("%s: there is no level %s", c.Lock, id)
			} else if id == c.Hold && levels[i].Par > 0 {
				t.Errorf("%s: par of %s is %d", c.Lock, id, levels[i].Par)
			} else if said := levels[i].Texts["en"].Name; id != c.Hold && said == "" {
				t.Errorf("%s: %s has no name of its own", c.Lock, id)
			} else if of := seen[cmp.Or(said, id)]; of != "" {
				t.Errorf("%s: %s comes in %s too", c.Lock, id, of)
			} else {
				seen[cmp.Or(said, id)] = c.Lock
			}
		}
	}
}
