package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// prediction parses the lines before a command.
func prediction(t *testing.T, lines string) Prediction {
	t.Helper()
	s := parsed(t, aWorld+lines+"run A\n----\n")
	return s.Steps[1].Predict[0]
}

func TestPrediction(t *testing.T) {
	p := prediction(t, `predict "Whose lock is removed?" removed A = B
predict-zh "删除的是谁的锁？"
because A "Its lease had ended."
because B "DEL asks for no owner."
because-zh B "DEL 不问持有者。"
`)
	for _, c := range []struct{ what, got, want string }{
		{"question", p.Ask("en"), "Whose lock is removed?"},
		{"question in Chinese", p.Ask("zh"), "删除的是谁的锁？"},
		{"question in no language of it", p.Ask("fr"), "Whose lock is removed?"},
		{"fact", p.Fact.String(), "removed A"},
		{"key", p.Key, "B"},
		{"answer of no run", p.Answer, ""},
		{"reason", p.Because("en", "A"), "Its lease had ended."},
		{"reason in Chinese", p.Because("zh", "B"), "DEL 不问持有者。"},
		{"reason that is only English", p.Because("zh", "A"), "Its lease had ended."},
		{"reason of no answer", p.Because("en", "C"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	if got := p.Choices(); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"A", "B"}) {
		t.Errorf("choices %q", got)
	}
	if p.Translated("zh") || !p.Translated("en") {
		t.Error("one reason is not there in Chinese, and all are in English")
	}
}

// TestChoicesWithoutReasons: a story without reasons asks nonetheless.
func TestChoicesWithoutReasons(t *testing.T) {
	for _, row := range strings.Split(`acquire A = refused: acquired refused
acquire A: acquired refused
release A: lost released
removed A: A B nobody
holder: A B nobody
inside: 0 1 2
votes B: 0 1
writes = 2: 0 1 2
write B: accepted refused`, "\n") {
		asks, want, _ := strings.Cut(row, ": ")
		p := prediction(t, "predict \"Well?\" "+asks+"\n")
		if got := strings.Join(slices.Sorted(slices.Values(p.Choices())), " "); got != want {
			t.Errorf("%s: choices %q, want %q", asks, got, want)
		}
	}
}

// TestOrderOfChoices: amounts ascend; others stand as the question has it, so that the place
// of an answer is another one in another question.
func TestOrderOfChoices(t *testing.T) {
	amounts := prediction(t, `predict "How long?" elapsed = 5s
because 1m10s "Long."
because 5s "So."
because 0s "At once."
because 750ms "Short."
`)
	if got := strings.Join(amounts.Choices(), " "); got != "0s 750ms 5s 1m10s" {
		t.Errorf("amounts: %s", got)
	}
	first := map[string]bool{}
	for _, ask := range strings.Fields("Who? Whose? Which? Whom? What? Where? When? How?") {
		p := prediction(t, "predict \""+ask+"\" holder\n")
		first[p.Choices()[0]] = true
	}
	if len(first) < 2 {
		t.Errorf("first of all choices of eight questions: %v", first)
	}
}

// TestUnfitPredictions: a question that its command cannot decide, or whose answers have no keys,
// is refused with what would fit.
func TestUnfitPredictions(t *testing.T) {
	world := "world strategy=setnx-expire clients=A,B\n----\n\nrun A until=before:EXPIRE\n----\n\ncrash A\n----\n\n"
	crowd := "world strategy=setnx clients=A,B,C,D,E,F,G,H,I,J\n----\n\n"
	for text, want := range map[string]string{
		world + "predict \"Rec?\" recovers\ncheck mutual-exclusion\n----\n":   `"check mutual-exclusion" does not try whether the lock recovers; recovers comes before a plain check, or before check lock-recovers`,
		world + "predict \"Rec?\" recovers = no\nrun B\n----\n":               `"run B" does not try`,
		world + "predict \"Rec?\" recovers = no\ncheck lock-recovers\n----\n": "",
		crowd + "predict \"Who?\" holder\nrun A\n----\n":                      "holder has more answers than there are keys, 9: name those",
		crowd + "predict \"How?\" ttl\nrun A\n----\n":                         "ttl has more answers than there are keys, 9",
		crowd + "promote r1 missing=1\n----\n":                                "missing=1 needs lag=1 in the world line",
	} {
		_, err := Parse("test.txt", "a_story_of_the_test", text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v\nwant %q", err, want)
		}
	}
}
