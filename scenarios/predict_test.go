package scenarios

import (
	"slices"
	"testing"
)

// prediction parses the lines before a command.
func prediction(t *testing.T, lines string) Prediction {
	t.Helper()
	s, err := Parse("f.txt", "f", aWorld+lines+"run A\n----\n")
	if err != nil {
		t.Fatal(err)
	}
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
	if got := p.Choices(); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("choices %q", got)
	}
	if p.Translated("zh") || !p.Translated("en") {
		t.Error("one reason is not there in Chinese, and all are in English")
	}
}

// TestChoicesWithoutReasons: a story without reasons asks nonetheless.
func TestChoicesWithoutReasons(t *testing.T) {
	for asks, want := range map[string][]string{
		"acquire A = refused": {"acquired", "refused"},
		"acquire A":           {"acquired", "refused"},
		"release A":           {"lost", "released"},
		"removed A":           {"A", "B", "nobody"},
		"holder":              {"A", "B", "nobody"},
		"inside":              {"0", "1", "2"},
		"votes B":             {"0", "1"},
		"writes = 2":          {"0", "1", "2"},
		"write B":             {"accepted", "refused"},
		"recovers":            {"yes", "no"},
	} {
		p := prediction(t, "predict \"Well?\" "+asks+"\n")
		if got := p.Choices(); !slices.Equal(got, want) {
			t.Errorf("%s: choices %q, want %q", asks, got, want)
		}
	}
}

const (
	ask        = "predict \"Will it?\" recovers = yes\n"
	tenReasons = "because 0 \"x\"\nbecause 1 \"x\"\nbecause 2 \"x\"\nbecause 3 \"x\"\nbecause 4 \"x\"\n" +
		"because 5 \"x\"\nbecause 6 \"x\"\nbecause 7 \"x\"\nbecause 8 \"x\"\nbecause 9 \"x\"\n"
)

// TestMistakesOfPredictions is TestMistakes for questions and their answers.
func TestMistakesOfPredictions(t *testing.T) {
	for _, tt := range []struct {
		name, text, at string
		says           []string
	}{
		{"question without a first one", aWorld + "predict-zh \"会吗？\"\nrun A\n----\n", "5:1", []string{"English"}},
		{"question with a second answer", aWorld + ask + "predict-zh \"会吗？\" = no\nrun A\n----\n", "6:1", []string{"too many"}},
		{"question twice in a language", aWorld + ask + "predict-zh \"会吗？\"\npredict-zh \"会吗？\"\nrun A\n----\n", "7:1", []string{"each language"}},
		{"reason without a question", aWorld + "because yes \"So.\"\nrun A\n----\n", "5:1", []string{"no prediction"}},
		{"reason without an answer", aWorld + ask + "because \"So.\"\nrun A\n----\n", "6:9", []string{"an answer and a reason"}},
		{"reason that does not end", aWorld + ask + "because yes \"So.\nrun A\n----\n", "6:9", []string{"an answer and a reason"}},
		{"reason twice", aWorld + ask + "because yes \"So.\"\nbecause yes \"So.\"\nrun A\n----\n", "7:1", []string{"twice"}},
		{"reason not in English", aWorld + ask + "because-zh yes \"是。\"\nrun A\n----\n", "6:1", []string{"English"}},
		{"no other answer", aWorld + ask + "because yes \"So.\"\nrun A\n----\n", "5:1", []string{"another"}},
		{"right answer without a reason", aWorld + ask + "because no \"A.\"\nbecause perhaps \"B.\"\nrun A\n----\n", "5:1", []string{"right answer"}},
		{"ten answers", aWorld + ask + tenReasons + "run A\n----\n", "15:1", []string{"at most 9"}},
		{"question before the world line", ask + aWorld, "1:1", []string{"world line"}},
		{"question that names no fact", aWorld + "predict \"Will it?\" = yes\nrun A\n----\n", "5:20", []string{"no fact", "acquire", "recovers"}},
		{"question about no fact", aWorld + "predict \"Will it?\" owner A\nrun A\n----\n", "5:20", []string{`"owner"`, "holder"}},
		{"fact about nobody", aWorld + "predict \"Will it?\" acquire\nrun A\n----\n", "5:20", []string{"client", "A, B"}},
		{"fact about a stranger", aWorld + "predict \"Will it?\" acquire Z\nrun A\n----\n", "5:20", []string{"A, B"}},
		{"reply to nothing", aWorld + "predict \"Will it?\" reply A set\nrun A\n----\n", "5:20", []string{"capitals"}},
		{"fact with a word too many", aWorld + "predict \"Will it?\" holder A = B\nrun A\n----\n", "5:20", []string{"too much"}},
		{"nothing to choose from", aWorld + "predict \"Will it?\" ttl = 5s\nrun A\n----\n", "5:1", []string{"because"}},
		{"key that is no answer", aWorld + "predict \"Will it?\" holder = Z\nrun A\n----\n", "5:1", []string{`"Z"`, "nobody"}},
		{"reason in expected output", aWorld + "keys\n----\nbecause yes \"So.\"\n", "7:1", []string{"expected output"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f.txt", "f", tt.text)
			wantMistake(t, err, "f.txt:"+tt.at+": ", tt.says)
		})
	}
}
