package tui

import (
	"strings"
	"testing"
)

// quizStory asks before a command that takes several rows, twice before
// another one, and once without saying why.
const quizStory = `world strategy=set-del clients=A,B ttl=5s
----

predict "Is A alone?" = yes
because yes "Nobody else has come."
because no "B has yet to begin."
run A until=in-critical
----

predict "How many keys are there?" = 1
because 0 "A has set one."
because 1 "A's is the only one."
predict "Is there a TTL?" = yes
keys
----

predict "Whose is it?" = A
keys
----
`

// TestQuestionStops: no way forward leads past a question.
func TestQuestionStops(t *testing.T) {
	for _, key := range []string{"right", "l", "enter", "v", "G", "end", " ", "1", "3", "y"} {
		m := start(t, Options{Story: parse(t, strings.Replace(quizStory, "= yes\nbecause yes", "= maybe\nbecause maybe", 1))}, 80, 24)
		wantIn(t, m, "? Is A alone?", "[1] maybe   [n] no   [0] I do not know", "1/n answer")
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
		"y": {"You say yes.", "Right: yes."},
		"n": {"You say no.", "You said no, but the answer is yes."},
		"0": {"? Is A alone?", "The answer is yes."},
	} {
		m := start(t, Options{Story: parse(t, quizStory)}, 80, 40)
		press(m, key)
		wantAt(t, m, 2)
		wantIn(t, m, want[0])
		wantNotIn(t, m, "Why", want[1])
		press(m, "right", "right")
		if !view(m).card {
			t.Fatalf("no explanation at the end of the command:\n%s", m.View())
		}
		wantIn(t, m, want[1], "Why yes  Nobody else has come.", "Why not no  B has yet to begin.")
		press(m, "c")
		wantNotIn(t, m, "Why yes")
		press(m, "left", "left", "left")
		wantAt(t, m, 1)
		press(m, "right") // it was answered before
		wantAt(t, m, 2)
	}
}

// TestTwoQuestions: both are asked before the command, and one that the story
// does not explain has no score.
func TestTwoQuestions(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory)}, 80, 40)
	press(m, "y", "right", "right", "c")
	wantIn(t, m, "? How many keys", "[2] 0   [1] 1   [0] I do not know")
	press(m, "y")
	wantAt(t, m, 4)
	press(m, "1")
	wantAt(t, m, 4)
	wantIn(t, m, "? Is there a TTL?", "[y] yes   [n] no")
	press(m, "n")
	wantAt(t, m, 5)
	wantIn(t, m, "Right: 1.", "Why not 0  A has set one.", "The answer is yes.")
	wantNotIn(t, m, "You said no")
	press(m, "c")
	wantIn(t, m, "? Whose is it?", "[0] I do not know")
	wantNotIn(t, m, "[1]")
	press(m, "a")
	wantAt(t, m, 5)
	press(m, "0")
	wantAt(t, m, 6)
	wantIn(t, m, "The answer is A.")
}

// TestBegunBehindAQuestion: who asks for a step gets it, and sees the answer
// of what was not asked.
func TestBegunBehindAQuestion(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory), At: 4}, 80, 24)
	wantAt(t, m, 4)
	press(m, "left")
	wantIn(t, m, "? Is A alone?")
	wantNotIn(t, m, "-> yes")
	if view(m).card {
		t.Error("an answer that was not given is explained")
	}
}

func TestAnswersAreForgotten(t *testing.T) {
	m := start(t, Options{Story: parse(t, quizStory)}, 80, 24)
	press(m, "y", "esc", "enter")
	wantAt(t, m, 1)
	wantIn(t, m, "[y] yes")
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
