package lesson

import (
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestReasons: what speaks against the given answer comes first, then what speaks for the
// right one, in whatever place they stand.
func TestReasons(t *testing.T) {
	q := Question{
		Choices: []Choice{{"A", "A", "a"}, {"B", "B", "b"}, {"C", "C", ""}, {"D", "D", "d"}},
		Right:   1, book: prose.Load("en"),
	}
	for given, want := range map[string]string{"": "bad", "A": "abd", "B": "bad", "C": "bad", "D": "dba"} {
		var got strings.Builder
		for _, p := range q.Reasons(given) {
			got.WriteString(p.Text)
		}
		if got.String() != want {
			t.Errorf("given %q: the reasons are of %q, want %q", given, got.String(), want)
		}
	}
}

// TestAgain: the line in the other form of a question is that of the event which decides it, and the
// client that is named runs it next after the row at which the picture ends. What is right in a
// neighbouring run is what that answers. A question without another form has another order.
func TestAgain(t *testing.T) {
	book := prose.Load("en")
	asked, neighbours, lines, same := 0, 0, 0, 0
	for _, s := range scenarios.Stories() {
		run := Of(testkit.Must(scenarios.Run(t.Context(), s))(t))
		for row := range run.Rows {
			if !run.Rows[row].First {
				continue
			}
			beat, shown := run.Rows[row].Beat, max(0, row-1)
			for n, p := range run.Questions(row) {
				asked++
				was := QuestionOf(book, "en", &p)
				for _, line := range []bool{false, true} {
					q := run.Again(was, beat, n, line, func(place string) string { return place })
					if len(q.Choices) < 3 {
						t.Errorf("%s: %q has %d choices", s.Name, q.Ask, len(q.Choices))
					}
					switch right := q.Answer(); {
					case strings.Contains(right.Answer, ".go:"):
						lines++
						who, source := firstLine(run, run.Rows[shown].To, p.At)
						if right.Answer != source || q.Ask != book.Fill("again_line", prose.TextFacts{What: who, Said: was.Ask}) {
							t.Errorf("%s: %q: %s, but %q decides it at %q", s.Name, q.Ask, right.Answer, who, source)
						}
						if next, begun := run.Rows[shown].Next[who]; begun && next != source {
							t.Errorf("%s: %q: %s stands at %s, and not at %s", s.Name, q.Ask, who, next, source)
						}
					case q.With != "":
						if neighbours++; line { // it is the same
							continue
						}
						other := testkit.Must(s.With(strings.Fields(q.With)...))(t)
						other.Steps = other.Steps[:beat+1]
						if got := testkit.Must(scenarios.Run(t.Context(), other))(t).Beats[beat].Questions[n].Answer; got != right.Answer {
							t.Errorf("%s: %q is %s with %s, not %s", s.Name, q.Ask, got, q.With, right.Answer)
						}
					default:
						same++
						if q.Ask != was.Ask || right != was.Answer() || len(q.Choices) != len(was.Choices) {
							t.Errorf("%s: %q is not the question %q", s.Name, q.Ask, was.Ask)
						}
						for i, c := range q.Choices {
							if c == was.Choices[i] {
								t.Errorf("%s: %q: %s has its old place", s.Name, q.Ask, c.Label)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d questions in two forms: %d of a neighbouring run, %d of a line, %d in another order", asked, neighbours, lines, same)
	if neighbours < asked || lines < asked/4 || same > asked*2/3 {
		t.Errorf("%d questions: %d of a neighbouring run, %d of a line, %d in another order", asked, neighbours, lines, same)
	}
}

// firstLine returns the client of an event and the line of its command or access after the first events, if
// there is just one up to that event, which it leads to; "" otherwise.
func firstLine(run *Run, from, decides int) (who, source string) {
	h, n := run.History, 0
	by := h.Events[decides]
	for _, e := range h.Events[from : decides+1] {
		if e.Client != by.Client || (e.Kind != history.Request || e.Source == "") && e.Kind != history.Resource && e.Kind != history.Read {
			continue
		}
		n++
		who, source = history.StrandName(e.Client, e.Strand), ""
		switch own := e.Seq == decides; {
		case e.Kind == history.Request && (own || by.Call > 0 && (by.Call == e.Call || by.Call == e.During)):
			source = e.Source
		case own:
			for _, n := range h.Next {
				if n.After <= e.Pick && n.Who == who {
					source = n.Source
				}
			}
		}
	}
	if n != 1 {
		return "", ""
	}
	return who, source
}
