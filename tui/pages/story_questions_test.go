package pages

import (
	"strings"
	"testing"

	"lockstep/scenarios"
)

// quizStory asks before a command that takes several rows, twice before
// another one, once without saying why.
const quizStory = `world strategy=set-del clients=A,B ttl=5s
----

predict "How many are inside?" inside = 1
because 1 "Nobody else has come."
because 2 "B has yet to begin."
run A until=in-critical
----

predict "How many writes are there?" writes = 0
because 0 "A has only entered."
because 1 "A is yet to write."
predict "Whose lock is it?" holder
keys
----

keys
----
`

// TestQuestionStops: no way forward leads past a question.
func TestQuestionStops(t *testing.T) {
	for _, key := range []string{"right", "l", "enter", "v", "G", "end", " ", "1", "3", "y"} {
		m := start(t, Options{Story: parse(t, strings.Replace(quizStory, "because 2", "because none", 1))}, 80, 24)
		wantIn(t, m, "? How many are inside?", "[1] 1   [n] none   [0] I do not know", "1/n answer")
		press(m, key)
		if wantMoved := key == "1"; (view(m).player.at > 0) != wantMoved {
			t.Errorf("%s leads to step %d", key, view(m).player.at+1)
		}
	}
}

// TestAnswer: the answer is noted, kept until the command has shown what is
// so, and explained then.
func TestAnswer(t *testing.T) {
	for key, want := range map[string][]string{
		"1": {"Your answer: 1.", "Right: 1."},
		"2": {"Your answer: 2.", "You said 2, but the answer is 1."},
		"0": {"? How many are inside?", "The answer is 1."},
	} {
		m := start(t, Options{Story: parse(t, quizStory)}, 80, 40)
		press(m, key)
		wantAt(t, m, 2)
		wantIn(t, m, want[0])
		wantNotIn(t, m, "Why", want[1])
		press(m, "right", "right")
		if !view(m).card {
			t.Fatalf("no explanation where it is decided:\n%s", m.View())
		}
		wantIn(t, m, want[1], "Why 1  Nobody else has come.", "Why not 2  B has yet to begin.")
		press(m, "c")
		wantNotIn(t, m, "Why 1")
		press(m, "left", "left", "left")
		wantAt(t, m, 1)
		press(m, "right") // it was answered before
		wantAt(t, m, 2)
	}
}

// TestVerdictComesWithTheReply: a question is answered at the event that decides
// it, and not only where the command that was asked about ends.
func TestVerdictComesWithTheReply(t *testing.T) {
	asks := strings.Replace(quizStory, "inside = 1\nbecause 1 \"Nobody else has come.\"\nbecause 2", "reply A SET = OK\nbecause OK \"It is free.\"\nbecause nil", 1)
	m := start(t, Options{Story: parse(t, asks)}, 80, 40)
	press(m, "2")
	wantAt(t, m, 2)
	wantIn(t, m, "-> OK", "You said nil, but the answer is OK.", "Why OK  It is free.")
	press(m, "right")
	wantIn(t, m, "? How many are inside? -> OK")
	if view(m).card {
		t.Error("it is explained twice")
	}
}

// TestTwoQuestions: both are asked before the command, and one that the story
// does not explain offers its answers and has no score.
func TestTwoQuestions(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory)}, 80, 40)
	press(m, "1", "right", "right", "c")
	wantIn(t, m, "? How many writes", "[0] 0   [1] 1   [u] I do not know")
	press(m, "y")
	wantAt(t, m, 4)
	press(m, "0")
	wantAt(t, m, 4)
	wantIn(t, m, "? Whose lock is it?", "[a] A   [b] B   [n] nobody")
	press(m, "n")
	wantAt(t, m, 5)
	wantIn(t, m, "Right: 0.", "Why not 1  A is yet to write.", "The answer is A.")
	wantNotIn(t, m, "You said nobody")
}

// TestBegunBehindAQuestion: who asks for a step gets it, and sees the answer
// of what was not asked.
func TestBegunBehindAQuestion(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory), At: 4}, 80, 24)
	wantAt(t, m, 4)
	press(m, "left")
	wantIn(t, m, "? How many are inside?")
	wantNotIn(t, m, "-> 1")
	if view(m).card {
		t.Error("an answer that was not given is explained")
	}
}

func TestAnswersAreForgotten(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory)}, 80, 24)
	press(m, "1", "esc", "enter")
	wantAt(t, m, 1)
	wantIn(t, m, "[1] 1")
}

// TestQuestionStopsJumps: what leads far ahead stops at the question, too.
func TestQuestionStopsJumps(t *testing.T) {
	for _, key := range []string{"v", "G", "end"} {
		m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
		press(m, key)
		wantAt(t, m, 7)
		wantIn(t, m, "? Can B ever get the lock?", "[y] yes   [n] no")
		press(m, key, key)
		wantAt(t, m, 7)
	}
}

// TestNoscriptIsExplained once, where a node does not know a script.
func TestNoscriptIsExplained(t *testing.T) {
	s, err := scenarios.Find("lua_closes_the_gap")
	if err != nil {
		t.Fatal(err)
	}
	m := start(t, Options{Story: s}, 80, 24)
	seen := 0
	for range view(m).player.rows {
		if strings.Contains(m.View(), "NOSCRIPT: Redis does not know") {
			seen++
		}
		forward(m)
	}
	if seen != 1 {
		t.Errorf("it is explained %d times", seen)
	}
}

// TestEveryCaptionIsShown: who steps forward reads the caption of each command, also where
// the command ends right before a question.
func TestEveryCaptionIsShown(t *testing.T) {
	stories, err := scenarios.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range stories {
		m := start(t, Options{Story: story}, 100, 30)
		p := m.page().(*storyPage)
		shown := ""
		for row := range p.run.Rows {
			shown += p.captionAt(row).Text + "\n"
		}
		for row := range p.run.Rows {
			step := p.run.Step(row)
			if step == nil || !p.run.Rows[row].First {
				continue
			}
			if text := step.Caption(m.book, m.lang); !strings.Contains(shown, text) {
				t.Errorf("%s: nobody reads %q", story.Name, text)
			}
		}
	}
}
