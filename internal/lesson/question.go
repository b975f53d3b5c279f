package lesson

import (
	"slices"
	"strings"

	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// A Question is one that a story asks, in one language.
type Question struct {
	Ask     string
	Choices []Choice
	Right   int    // the index of the correct choice
	With    string // the settings of the neighbouring run that it is about; "" for the run itself

	book *prose.Book
}

// A Choice is a possible answer, and why it is right or wrong; "" where the story
// does not say.
type Choice struct{ Answer, Label, Because string }

// QuestionOf puts a prediction into words.
func QuestionOf(b *prose.Book, language string, p *scenarios.Prediction) Question {
	q := Question{Ask: p.Ask(language), book: b}
	for _, choice := range p.Choices() {
		q.Choices = append(q.Choices, Choice{Answer: choice, Label: b.Answer(p.Fact.String(), choice), Because: p.Because(language, choice)})
	}
	q.Right = max(0, q.index(p.Answer))
	return q
}

// Answer returns the correct choice.
func (q Question) Answer() Choice { return q.Choices[q.Right] }

// Of returns a choice by its answer.
func (q Question) Of(answer string) Choice {
	return q.Choices[q.index(answer)]
}

func (q Question) index(answer string) int {
	return slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Answer == answer })
}

// Solution says which answer is right.
func (q Question) Solution() string {
	return q.book.Gap("answer_told", q.Answer().Label)
}

// Result responds to a given answer, which may be typed: right or wrong if the story says why of
// a choice, else the solution.
func (q Question) Result(given string) string {
	i, said, id := q.index(given), given, "answer_wrong"
	switch {
	case given == "", i >= 0 && q.Choices[i].Because == "":
		return q.Solution()
	case i >= 0:
		said = q.Choices[i].Label
	}
	if i == q.Right {
		id = "answer_right"
	}
	return q.book.Fill(id, prose.TextFacts{What: q.Answer().Label, Said: said})
}

// Reasons returns why a given answer is wrong, then why the right one is right, and then
// why each other one is not, as far as the story says.
func (q Question) Reasons(given string) (parts []Part) {
	rank := func(c Choice) int {
		switch c.Answer {
		case q.Answer().Answer:
			return 1
		case given:
			return 0
		}
		return 2
	}
	for _, c := range slices.SortedStableFunc(slices.Values(q.Choices), func(a, b Choice) int { return rank(a) - rank(b) }) {
		id := "why_not_answer"
		if rank(c) == 1 {
			id = "why_answer"
		}
		if c.Because != "" {
			parts = append(parts, Part{Label: q.book.Gap(id, c.Label), Text: c.Because})
		}
	}
	return parts
}

// Again returns a question before a command in another form: which line of code a client runs next
// that decides it, or what is right in a neighbouring run. Where one form is not to be had, it is the
// other, or else the question itself, its choices in another order.
func (r *Run) Again(q Question, beat, n int, line bool, code func(source string) string) Question {
	p := &r.Beats[beat].Questions[n]
	row, _ := r.RowsOf(beat)
	who, places := r.places(max(0, row-1), p.At)
	settings, right := p.Elsewhere()
	switch {
	case who != "" && len(places) == maxPlaces && !p.Fact.OfSettings() && (line || right == ""):
		q.Ask, q.Choices, right = q.book.Fill("again_line", prose.TextFacts{What: who, Said: q.Ask}), nil, places[0]
		for _, place := range slices.Sorted(slices.Values(places)) {
			q.Choices = append(q.Choices, Choice{Answer: place, Label: code(place)})
		}
	case right == "":
		right, q.Choices = q.Answer().Answer, slices.Concat(q.Choices[1:], q.Choices[:1])
	default:
		q.With, q.Ask = settings, q.book.Fill("again_elsewhere", prose.TextFacts{What: strings.ReplaceAll(settings, "strategy=", ""), Said: q.Ask})
	}
	q.Right = q.index(right)
	return q
}

// maxPlaces is among how many lines of code a question lets choose.
const maxPlaces = 3

// places returns the client whose next line of code after a row decides what an event shows, by its only
// access or command until then; that line; and others that anybody runs later, or has run.
func (r *Run) places(row, decides int) (who string, out []string) {
	by := r.History.Events[decides]
	for _, next := range r.Rows[row+1:] {
		e := r.History.Events[next.Seq]
		line, begun := r.Rows[row].Next[next.Who]
		switch {
		case next.code == "" || e.Client != by.Client || e.Seq > decides:
		case who != "", begun && line != next.code, e.Seq != decides && (e.Kind != history.Request || by.Call == 0 || by.Call != e.Call && by.Call != e.During):
			return "", nil
		default:
			who, out = next.Who, []string{next.code}
		}
	}
	for i := range r.Rows {
		if line := r.Rows[(row+i)%len(r.Rows)].code; line != "" && !slices.Contains(out, line) && len(out) < maxPlaces {
			out = append(out, line)
		}
	}
	return who, out
}

// Decides returns the row that decides a question about the command of a row: that
// of the deciding event, or else the command's last one.
func (r *Run) Decides(p *scenarios.Prediction, row int) int {
	from, to := r.RowsOf(r.Rows[row].Beat)
	for row := from; row < to; row++ {
		if p.At < r.Rows[row].To {
			return row
		}
	}
	return to - 1
}
