package pages

import (
	"testing"
	"testing/fstest"

	"lockstep/internal/course"
	"lockstep/internal/progress"
)

// owned is a course of one's own: a chapter of text, one with a story and a level.
func owned(t *testing.T) *course.Course {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"course.toml": "format = 1\nid = \"owned\"\nlanguages = [\"en\", \"de\"]\n[[chapter]]\nid = \"why\"\n[[chapter]]\nid = \"late\"\nlock = \"set-del\"\n" +
			"stories = [\"late_again\", \"a_late_del\"]\nlevels = [\"own\"]\nexercise = \"set-del\"\n",
		"levels.toml":            "[[level]]\nid = \"own\"\nlock = \"set-del\"\ngoal = \"lost-update\"\ntimes = 2\npar = 11\n",
		"stories/late_again.txt": "# Nobody like this walrus.\nworld strategy=set-del clients=A,B ttl=2s\n\nrun A\n",
		"prose/en.toml": "title = \"Of one's own\"\n[chapter.why]\ntitle = \"Why\"\nabout = \"\"\"\nOne machine\nis easy.\n\nTwo are not.\"\"\"\nquestion = \"What of three?\"\nanswer = \"Ask two.\"\n" +
			"remember = \"Count.\"\nnotes = \"Draw it.\"\n[level.own]\nname = \"Mine\"\ngoal = \"Sell twice.\"\n",
		"prose/de.toml": "title = \"Eigenes\"\n[chapter.why]\ntitle = \"Warum\"\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := course.Read(files, "x")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCourseOfOnesOwn: it opens at its chapters, one of which is only text; its
// stories and levels are found, and its progress is another file.
func TestCourseOfOnesOwn(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	own := owned(t)
	m := start(t, Options{Course: own, CourseAt: "./x", Progress: progress.In(progress.Dir(own))}, 80, 24)
	wantText(t, m, "Of one's own", "▸ [ ] 1 Why why", "[ ] 2 SET NX EX and plain DEL late", "One machine is easy.")
	press(m, "enter")
	wantIn(t, m, "part 1 of 2: what it is about", "One machine is easy.", "Two are not.", "Question for later  What of three?")
	wantNotIn(t, m, "Ask two.", "Draw it.")
	press(m, "right")
	wantIn(t, m, "Answer  Ask two.", "Remember  Count.")
	press(m, "L", "L")
	wantIn(t, m, "Warum", "Remember  Count.")
	press(m, "L", "right")
	wantText(t, m, "[x] 1 Why why (done)", "▸ [ ] 2 SET NX EX and plain DEL late")
	press(m, "enter", "right")
	wantIn(t, m, "part 2 of 6: watch: Late again", "Nobody like this walrus.")
	press(m, "esc", "/", "w", "a", "l", "r", "u", "s")
	wantIn(t, m, "Late again", "1 of 1 found")
	saveNow(t, m)
	if got := m.Goodbye(); got == "" {
		t.Error("nothing is said at the end")
	}
	if m := start(t, Options{Progress: progress.In(progress.Dir(nil))}, 80, 24); len(m.progress.Chapters) != 0 {
		t.Errorf("the other course has %v", m.progress.Chapters)
	}
	if m := start(t, Options{Progress: progress.In(progress.Dir(own)), Course: own}, 80, 24); !m.progress.Chapters["why"].Done {
		t.Errorf("what was done is lost: %v", m.progress)
	}
}
