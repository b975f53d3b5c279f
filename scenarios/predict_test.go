package scenarios

import (
	"slices"
	"testing"
)

// prediction parses the lines before a command.
func prediction(t *testing.T, lines string) Prediction {
	t.Helper()
	s, err := Parse("f.txt", "f", world+lines+"run A\n----\n")
	if err != nil {
		t.Fatal(err)
	}
	return s.Steps[1].Predict[0]
}

func TestPrediction(t *testing.T) {
	p := prediction(t, `predict "Whose lock is removed?" = B
predict-zh "删除的是谁的锁？"
because A "Its lease had ended."
because B "DEL asks for no owner."
because-zh B "DEL 不问持有者。"
`)
	for _, c := range []struct{ what, got, want string }{
		{"question", p.Ask("en"), "Whose lock is removed?"},
		{"question in Chinese", p.Ask("zh"), "删除的是谁的锁？"},
		{"question in no language of it", p.Ask("fr"), "Whose lock is removed?"},
		{"answer", p.Answer, "B"},
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

func TestChoicesWithoutReasons(t *testing.T) {
	for answer, want := range map[string][]string{"no": {"yes", "no"}, "yes": {"yes", "no"}, "twice": nil} {
		p := prediction(t, "predict \"Well?\" = "+answer+"\n")
		if got := p.Choices(); !slices.Equal(got, want) {
			t.Errorf("answer %s: choices %q, want %q", answer, got, want)
		}
	}
}
