package export

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
)

func handOut(t *testing.T, lang string, c *course.Course, where string, minutes int) string {
	t.Helper()
	a, err := c.Agenda(minutes)
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHandOut(lang, c, where, a)
	if err != nil {
		t.Fatal(err)
	}
	text, err := h.Markdown(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Markdown(t.Context())
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("written again it is another text: %v", err)
	}
	return string(text)
}

// TestHandOut: the times, what is shown with its command, each question before its
// answer, and the notes of what is shown and of nothing else.
func TestHandOut(t *testing.T) {
	c, err := course.Named("redis-locks-in-an-hour")
	if err != nil {
		t.Fatal(err)
	}
	text := handOut(t, "en", c, c.ID, 45)
	at := 0
	for _, want := range []string{
		"# Redis locks in an hour: 45 min\n", "| 0:14 | 12 | 3 | Whose lock does DEL remove? |\n", "| 0:43 | 2 |  | Questions and spare time |\n",
		"- No answer is not a no (7 min): extra, and no time is left for it\n", "`lockstep --present --course redis-locks-in-an-hour`",
		"## 0:00  A door for one\n", "(`lockstep run the_lock_keeps_the_other_out`)\n", "**Question 1.** Does B get the lock?\n\n- [ ] acquired\n- [ ] refused\n",
		"**Question 2.** A client waits for a lock", "break-before", "## Answers\n", "**Question 1.** Does B get the lock?\n\n**The answer is refused.**\n\nThe key is there",
		"**Question 2.** A client waits for a lock that another one holds. How does it learn that the lock is free again?\n\nIt does not.", "break-before", "## Notes\n", "### 0:00  A door for one\n", "Goal: everybody can read the screen",
	} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("no %q after\n%s", want, text[:at])
		}
		at += next
	}
	if strings.Contains(text, "## 0:43") || strings.Contains(text, "The answer is .") {
		t.Errorf("what is left out is told, or an answer is missing:\n%s", text)
	}
	if text := handOut(t, "zh", c, c.ID, 45); !strings.Contains(text, "**正确的是「被拒绝」。**") {
		t.Errorf("in Chinese:\n%s", text)
	}
}

// TestHandOutNames: a level has its name, and a chapter whose lock is known says from
// which one.
func TestHandOutNames(t *testing.T) {
	testkit.Single(t)
	c, err := course.Usual()
	if err != nil {
		t.Fatal(err)
	}
	for lang, wants := range map[string][]string{
		"en": {"| ~15 | 1 | SET NX EX and plain DEL |\n", "SETNX, then EXPIRE", "- your turn: Break setnx without a crash\n", "- your turn: set-lua, Crash\n"},
		"zh": {"：set-lua，崩溃\n"},
	} {
		text := handOut(t, lang, c, "", 180)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", lang, want, text)
			}
		}
		if strings.Contains(text, "/lock-recovers") {
			t.Errorf("%s: the id of a level in\n%s", lang, text)
		}
	}
	builds := 0
	for i, ch := range c.Chapters {
		before := c.BuildsOn(i)
		if before < 0 {
			continue
		}
		builds++
		if b := c.Chapters[before]; before >= i || b.Lock != ch.Lock && b.Fix != ch.Lock {
			t.Errorf("%s builds on %s", ch.ID, b.ID)
		}
	}
	text := handOut(t, "en", c, "", 180)
	if builds == 0 || strings.Count(text, "(builds on ") == 0 {
		t.Errorf("%d chapters build on another one:\n%s", builds, text)
	}
}

// TestHandOutEscapes: what a course says stays text, whatever it is.
func TestHandOutEscapes(t *testing.T) {
	const evil = "<script>alert(1)</script> ](https://evil) | `x` $(y)"
	c, err := course.Read(fstest.MapFS{
		"course.toml":   {Data: []byte("format = 1\nid = \"mine\"\nlanguages = [\"en\"]\n[[chapter]]\nid = \"why\"\nminutes = 5\n")},
		"prose/en.toml": {Data: []byte("title = '" + evil + "'\nabout = '" + evil + "'\n[chapter.why]\ntitle = '" + evil + "'\nabout = '" + evil + "'\nquestion = '" + evil + "'\nanswer = '" + evil + "'\nnotes = '" + evil + "'\n")},
	}, "mine")
	if err != nil {
		t.Fatal(err)
	}
	text := handOut(t, "en", c, "my course's `x`", 10)
	bare := strings.NewReplacer(`\<`, "", `\]`, "").Replace(text)
	if strings.Contains(bare, "<script") || strings.Contains(bare, "](http") || strings.Count(text, `\<script`) < 7 {
		t.Errorf("not escaped:\n%s", text)
	}
	for _, line := range strings.Split(text, "\n") {
		if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); cells != 0 && cells != 5 {
			t.Errorf("%d bars in %q", cells, line)
		}
	}
	if want := "`` lockstep --present --course 'my course'\\''s `x`' ``"; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}
