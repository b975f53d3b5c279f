package pages

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
)

// endPart goes to the end of a part of a chapter, and on to the next. A level is
// tried by one move, and what is asked again is not answered.
func endPart(m *Shell) Cmd {
	if at(m) == "again" {
		return press(m, "u", "right")
	}
	if at(m) == "game" { // as if it were won
		if level := m.game.level; level.Par == 0 {
			if press(m, "o"); play(m).asks {
				press(m, "2")
			}
		} else {
			m.do(m.note(progress.Progress{Levels: map[string]progress.Level{level.ID: {Moves: level.Par}}}))
		}
		return press(m, "f")
	}
	for !atEnd(m) {
		forward(m)
	}
	return press(m, "right")
}

// TestWholeCourse walks through every part of every chapter, and everything is
// done then. A run that breaks a lock says afterwards that it is meant to; before it,
// nothing tells it from one that shows the lock at work.
func TestWholeCourse(t *testing.T) {
	for _, lang := range testkit.Some(t, []string{"en", "zh"}, 1, 1) {
		m := start(t, Options{Lang: lang}, 80, 24)
		willAsk := firstSentence(m, "will_ask")
		after := map[part]string{breakPart: firstSentence(m, "meant_to_fail_after")}
		press(m, "c")
		for i, ch := range m.course.Chapters {
			press(m, "enter")
			if m.course.open().Lock != ch.Lock || m.course.chapter.at != i {
				t.Fatalf("chapter %d is %s, want %s", i+1, m.course.open().Lock, ch.Lock)
			}
			for range partsOf(ch) {
				if view(m).failed != nil || !inChapter(m) {
					t.Fatalf("%s, part %d: %v\n%s", ch.Lock, chapter(m).at+1, view(m).failed, m.View())
				}
				here, number := chapter(m).part(), chapter(m).at
				begins := check(t, m)
				for at(m) != "game" && !atEnd(m) {
					forward(m)
				}
				view(m).card = false
				ends := check(t, m)
				run := here == workPart || here == breakPart
				if run && strings.Contains(begins, m.Text("part_run")) != (number == 1) {
					t.Errorf("%s: the name of part %d tells how it ends:\n%s", ch.Lock, number+1, begins)
				}
				tells := run && !strings.Contains(begins, willAsk) && strings.Contains(ends, "->")
				if tells || !strings.Contains(ends, after[here]) {
					t.Errorf("%s, %s:\n%s\n%s", ch.Lock, here, begins, ends)
				}
				endPart(m)
				if inChapter(m) && chapter(m).at == number {
					t.Fatalf("%s stays at part %d", ch.Lock, number+1)
				}
			}
			giveUp(m)
			wantText(t, m, m.Text("end_seen"))
			press(m, "right")
			giveUp(m)
			if i == len(m.course.Chapters)-1 {
				wantText(t, m, m.Text("end_own"))
				press(m, "esc")
			}
			if at(m) != "course" || m.chaptersDone() != i+1 {
				t.Fatalf("after %s: page %s, %d chapters done", ch.Lock, at(m), m.chaptersDone())
			}
		}
	}
}

// giveUp answers no question that is asked again.
func giveUp(m *Shell) {
	for at(m) == "again" {
		endPart(m)
	}
}

// firstSentence is the beginning of a text, which fits on a line.
func firstSentence(m *Shell, id string) string {
	text := m.Text(id)
	return text[:strings.IndexAny(text, ".:。：")]
}

// TestUnansweredIsNotDone: a chapter whose levels were tried but whose questions
// were not answered is not done, also after it was passed through.
func TestUnansweredIsNotDone(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	ch := m.course.Chapters[0]
	for _, level := range ch.Levels() {
		m.progress.Add(progress.Progress{Levels: map[string]progress.Level{level: {GaveUp: true}}})
	}
	story := ch.Breaks
	for _, step := range story.Steps {
		for _, q := range step.Predict {
			m.progress.Add(progress.Progress{Predictions: map[string]map[string]progress.Answer{story.Name: {q.Question: {}}}})
		}
	}
	if m.finished(ch) {
		t.Error("finished, and a question of its first story is open")
	}
	for _, step := range ch.Works.Steps {
		for _, q := range step.Predict {
			m.progress.Add(progress.Progress{Predictions: map[string]map[string]progress.Answer{ch.Works.Name: {q.Question: {}}}})
		}
	}
	if !m.finished(ch) {
		t.Error("not finished, and everything was answered and tried")
	}
	press(m, "c", "enter")
	if m.chaptersDone() > 0 {
		t.Error("done, and its end was not open")
	}
	for inChapter(m) {
		endPart(m)
	}
	if m.chaptersDone() != 1 {
		t.Error("not done at its end")
	}
}

func reread(t testing.TB, dir string) progress.Progress {
	t.Helper()
	p, _, err := progress.In(dir).Load()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestChapterOnWhereItBreaks: where three chapters have one lock, each says where that one
// breaks in its story, and not all places at once.
func TestChapterOnWhereItBreaks(t *testing.T) {
	c := course.Named("what-redlock-assumes")
	m := start(t, Options{Course: c}, 100, 40)
	for id, want := range map[string][2]string{
		"a-restart":   {"votes a second time", ""},
		"node-clocks": {"is set ahead by more than the lease", "Slew the clock of a node"},
		"a-pause":     {"checks its validity once", "No second check closes the gap"},
	} {
		m.Update(GoTo{Place: ChapterPlace(id)})
		p := m.page().(*chapterPage)
		for n, part := range []part{whyPart, fixPart} {
			at := slices.Index(partsOf(p.chapter), part)
			if at < 0 {
				continue
			}
			text := ""
			for _, l := range newReadPage(m.shared, p.chapter, at).lines(100) {
				text += l.Text() + " "
			}
			if !strings.Contains(text, want[n]) || strings.Contains(text, "six assumptions") {
				t.Errorf("%s, %s: no %q in %q", id, part, want[n], text)
			}
		}
	}
}
