package scenarios

import (
	"cmp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// TestLesson: every story survives a token with its captions, questions and run; the
// token is short enough to paste.
func TestLesson(t *testing.T) {
	stories := Stories()
	longest := 0
	for _, s := range stories {
		token := Lesson{s, "zh", 3}.Token()
		longest = max(longest, len(token))
		l, err := ParseLesson(" " + token + "\n")
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if l.Lang != "zh" || l.At != 3 || l.Story.Name != s.Name || len(l.Story.Steps) != len(s.Steps) {
			t.Fatalf("%s: %+v", s.Name, l)
		}
		for i, step := range s.Steps {
			got := l.Story.Steps[i]
			if got.Text != step.Text || got.Captions["zh"] != step.Captions["zh"] || len(got.Predict) != len(step.Predict) || len(got.Expected) > 0 {
				t.Errorf("%s, step %d: %+v, want %+v", s.Name, i+1, got, step)
			}
		}
	}
	t.Logf("the longest token has %d characters", longest)
	if longest > 2800 {
		t.Errorf("the longest token has %d characters, and docs/courses.md says up to 2800", longest)
	}
}

// TestLessonOfAnything: whatever a story is called, and whatever its writer leaves out, its
// token is read. A file may have any name.
func TestLessonOfAnything(t *testing.T) {
	long := strings.Repeat("锁", 300)
	for name, want := range map[string]string{
		"a_story": "a_story", "": "_", `a\b/c`: "a_b_c", "a\nen\n7\nworld": "a_en_7_world", "\x1b[2J\u202e": "_[2J_", "\xff": "\ufffd", long: long[:600], "two words": "two words",
	} {
		s := *parsed(t, "world strategy=setnx\n----\nsetnx: A, B\n\nrun A\n----\nA    out\n\n# B.\nrun B")
		s.Name = name
		for _, l := range []Lesson{{Story: &s}, {&s, "zh", 2}, {&s, "", -1}} {
			got, err := ParseLesson(l.Token())
			if err != nil || got.Story.Name != want || got.Lang != cmp.Or(l.Lang, "en") || got.At != max(1, l.At) || got.Token() != l.Token() {
				t.Errorf("%q: %+v, %v", name, got, err)
			}
		}
	}
}

func TestLessonIsRefusedWithTheReason(t *testing.T) {
	token := Lesson{parsed(t, "world strategy=setnx\n\nrun A\n"), "en", 1}.Token()
	packed := func(text string) string { return history.Pack(lessonPrefix, text) }
	for text, says := range map[string]string{
		"":                               "does not begin",
		"ls1.AAAA":                       `version "ls1"`,
		"lst2.AAAA":                      `version "lst2"`,
		token[:len(token)-4]:             "damaged",
		token + "AAAA":                   "added",
		packed(""):                       "holds no story",
		packed("a/b\nen\n1\nworld"):      "not the name",
		packed("a\x1b[2J\nen\n1\nworld"): "not the name",
		packed("\nen\n1\nworld"):         "not the name",
		packed("a\nEN\n1\nworld"):        "not a language",
		packed("a\nen\n0\nworld"):        "not a step",
		packed("a\nen\n1\nwrold"):        `a.txt:1:1: "wrold" is not a command; did you mean world`,
		packed("a\nen\n1\n" + strings.Repeat("#\n", maxStory)): "at most",
		packed("a\nen\n1\n" + strings.Repeat("#", 2<<20)):      "its contents are longer",
	} {
		if _, err := ParseLesson(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v; want an error with %q", text, err, says)
		}
	}
}

func parsed(t *testing.T, text string) *Story {
	t.Helper()
	s := testkit.Must(Parse("f.txt", "f", text))(t)
	return s
}

// FuzzLesson: a parsed token, written again, is the same lesson; nothing panics.
func FuzzLesson(f *testing.F) {
	for _, text := range []string{
		"", "a\nen\n1\nworld strategy=setnx\n\nrun A\n", "a\nzh\n2\n# A.\n#zh 甲。\nworld strategy=setnx\n----\nsetnx: A, B\n\npredict \"Who?\" holder = A\nrun A",
	} {
		f.Add(text, true)
	}
	f.Add("lst1.", false)
	f.Fuzz(func(t *testing.T, text string, pack bool) {
		if pack {
			text = history.Pack(lessonPrefix, text)
		}
		l, err := ParseLesson(text)
		if err != nil {
			return
		}
		again, err := ParseLesson(l.Token())
		if err != nil || again.Lang != l.Lang || again.At != l.At || again.Story.withoutOutput() != l.Story.withoutOutput() || len(again.Story.Steps) != len(l.Story.Steps) {
			t.Errorf("%q reads as %+v, and again as %+v, %v", text, l, again, err)
		}
	})
}
