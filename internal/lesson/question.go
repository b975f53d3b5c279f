package lesson

import (
	"slices"

	"lockstep/internal/prose"
	"lockstep/scenarios"
)

// A Question is one that a story asks, in one language.
type Question struct {
	Ask     string
	Choices []Choice
	Right   int // the index of the correct choice

	book *prose.Book
}

// A Choice is a possible answer, and why it is right or wrong; "" where the story
// does not say.
type Choice struct{ Answer, Label, Because string }

// QuestionOf puts a prediction into words.
func QuestionOf(b *prose.Book, language string, p *scenarios.Prediction) Question {
	q := Question{Ask: p.Ask(language), book: b}
	for i, choice := range p.Choices() {
		if choice == p.Answer {
			q.Right = i
		}
		q.Choices = append(q.Choices, Choice{Answer: choice, Label: b.Answer(p.Fact.String(), choice), Because: p.Because(language, choice)})
	}
	return q
}

// Answer returns the correct choice.
func (q Question) Answer() Choice { return q.Choices[q.Right] }

// Of returns a choice by its answer.
func (q Question) Of(answer string) Choice {
	return q.Choices[slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Answer == answer })]
}

// Solution says which answer is right.
func (q Question) Solution() string {
	return q.book.Gap("answer_told", q.Answer().Label)
}

// Result responds to a given answer: right or wrong if the story says why, else
// the solution.
func (q Question) Result(given string) string {
	i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Answer == given })
	if i < 0 || q.Choices[i].Because == "" {
		return q.Solution()
	}
	facts := prose.TextFacts{What: q.Answer().Label, Said: q.Choices[i].Label}
	if i == q.Right {
		return q.book.Fill("answer_right", facts)
	}
	return q.book.Fill("answer_wrong", facts)
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
