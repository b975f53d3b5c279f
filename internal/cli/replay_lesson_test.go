package cli

import (
	"bytes"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// TestReplayLesson: a lesson's token is told with its captions and questions, in its
// language, and opens in the walkthrough at its step.
func TestReplayLesson(t *testing.T) {
	s := testkit.Must(scenarios.Find("a_late_del"))(t)
	token := scenarios.Lesson{Story: s, Lang: "zh", At: 3}.Token()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"replay", token}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("%d %s", code, &errs)
	}
	for _, want := range []string{s.Steps[0].Captions["zh"], s.Steps[len(s.Steps)-1].Text} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "\n", ""), want) {
			t.Errorf("%s\nlacks %s", &out, want)
		}
	}
	opened, o, story, _ := walked(t, true, "replay --walk "+token)
	if !opened || o.At != 3 || o.Lang != "zh" || story != "a_late_del" {
		t.Errorf("%t %+v %s", opened, o, story)
	}
	if code := run(t.Context(), []string{"replay", token[:len(token)-3]}, strings.NewReader(""), &out, &errs); code != 2 || !strings.Contains(errs.String(), "damaged") {
		t.Errorf("%d %s", code, &errs)
	}
}
