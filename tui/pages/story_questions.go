package pages

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// asked identifies a question of a story: its command, and its number there.
type asked struct{ beat, n int }

// unsure is the answer of a learner who does not want to guess.
const unsure = ""

// unanswered returns the first open question before the command of a row. Only a
// command's first row has any. In front of a class, nothing waits for an answer.
func (p *storyPage) unanswered(row int) (asked, *scenarios.Prediction) {
	if p.talk != nil || row >= len(p.run.Rows) || !p.run.Rows[row].First {
		return asked{}, nil
	}
	asks := p.run.Questions(row)
	for n := range asks {
		at := asked{p.run.Rows[row].Beat, n}
		if _, done := p.given[at]; !done {
			return at, &asks[n]
		}
	}
	return asked{}, nil
}

// asking returns the question to answer before the next row.
func (p *storyPage) asking() (asked, *scenarios.Prediction) {
	if p.run == nil {
		return asked{}, nil
	}
	return p.unanswered(p.at + 1)
}

// gate returns how far the cursor may go towards a row: at most to the next question.
func (p *storyPage) gate(to int) int {
	for _, row := range p.asks {
		if p.at < row && row <= to {
			if _, open := p.unanswered(row); open != nil {
				return row - 1
			}
		}
	}
	return to
}

// asksOf returns the rows with questions before them.
func asksOf(r *lesson.Run) (out []int) {
	for row := range r.Rows {
		if r.Rows[row].First && len(r.Questions(row)) > 0 {
			out = append(out, row)
		}
	}
	return out
}

// answer records an answer and goes on.
func (p *storyPage) answer(given string) act {
	at, question := p.asking()
	p.given[at] = given
	if _, more := p.asking(); more == nil {
		p.goTo(p.at + 1)
	}
	return p.keepGuess(question, given)
}

// keepGuess saves whether an answer was right, if the story says why and has a name, of the
// library or in its chapter.
func (p *storyPage) keepGuess(question *scenarios.Prediction, given string) act {
	if !p.named && p.part == "" || question.Because(p.lang, question.Answer) == "" {
		return nil
	}
	right := given == question.Answer
	guesses := map[string]progress.Answer{question.Question: {First: right, Last: right}}
	return p.note(progress.Progress{Predictions: map[string]map[string]progress.Answer{p.story.Name: guesses}})
}

// inWords puts a question into words.
func (p *storyPage) inWords(q *scenarios.Prediction) lesson.Question {
	return lesson.QuestionOf(p.Book, p.lang, q)
}

// choiceKey is the key of the answer at an index, in all faces.
func choiceKey(i int) string { return strconv.Itoa(i + 1) }

// bracketed is an answer after its key.
func bracketed(key, label string) string { return "[" + key + "] " + label }

// askedOf is a question for a face that asks a class. Stories of one name differ: those that
// are handed in, and one that its author goes on with.
func (p *storyPage) askedOf(at asked, q *scenarios.Prediction) Asked {
	said, sum := p.inWords(q), sha256.Sum256([]byte(p.story.Source()))
	return Asked{ID: fmt.Sprintf("%s/%d/%d/%x", p.story.Name, at.beat, at.n, sum[:8]), Right: said.Right, Why: said.Answer().Because}
}

// choices returns the line with the answers to choose from.
func (p *shared) choices(of []lesson.Choice) string {
	var parts []string
	for i, c := range of {
		parts = append(parts, bracketed(choiceKey(i), c.Label))
	}
	parts = append(parts, bracketed(unsureKey.names(p.Book), unsureKey.text(p.Book)))
	return strings.Join(parts, "   ")
}

// questionAt adds to a caption the question before the next row, or the one before the
// current command, without its answer until the run decides it. An open question comes
// with the caption of its command.
func (p *storyPage) questionAt(at int, c *render.Caption) {
	if _, q := p.unanswered(at + 1); q != nil {
		c.Question, c.Choices = q.Ask(p.lang), p.choices(p.inWords(q).Choices)
		text := p.run.Step(at+1).Caption(p.Book, p.lang)
		switch {
		case text == "" || p.tellsFault(at):
		case p.toldOnce(at):
			c.Text, c.Hint = p.Sentences(c.Text, text), ""
		default:
			c.Text, c.Hint = text, ""
		}
		return
	}
	q, given, answered := p.lastQuestion(at)
	switch {
	case q == nil:
	case at >= p.run.Decides(q, at):
		c.Question, c.Answer = q.Ask(p.lang), p.inWords(q).Answer().Label
	case answered:
		c.Question, c.Choices = q.Ask(p.lang), p.said(q, given)
	default:
		c.Question = q.Ask(p.lang)
	}
}

// toldOnce reports whether a row is the only one that shows the caption of its command.
func (p *storyPage) toldOnce(at int) bool {
	step := p.run.Step(at)
	return step != nil && step == p.run.Told(at) && step.Caption(p.Book, p.lang) != "" && (p.run.Rows[at].First || p.run.Told(at-1) != step)
}

// tellsFault reports whether a row is that of a fault of which its command's caption tells:
// the question is about what comes of it.
func (p *storyPage) tellsFault(at int) bool {
	row, step := p.run.Rows[at], p.run.Step(at)
	return step != nil && step.Caption(p.Book, p.lang) != "" && slices.ContainsFunc(p.run.History.Events[row.From:row.To], func(e history.Event) bool {
		return e.Kind == history.Fault
	})
}

// lastQuestion returns the first open question about the command of a row, or else the
// last one with its answer.
func (p *storyPage) lastQuestion(row int) (q *scenarios.Prediction, given string, answered bool) {
	if row >= len(p.run.Rows) {
		return nil, "", false
	}
	asks := p.run.Questions(row)
	for n := range asks {
		q = &asks[n]
		if given, answered = p.given[asked{p.run.Rows[row].Beat, n}]; !answered {
			break
		}
	}
	return q, given, answered
}

func (p *storyPage) said(q *scenarios.Prediction, given string) string {
	if given == unsure {
		return ""
	}
	return p.Fill("answer_noted", facts{Said: p.inWords(q).Of(given).Label})
}

// decidedHere returns the answered questions that the run decides at the cursor.
func (p *storyPage) decidedHere() (here []asked) {
	asks := p.run.Questions(p.at)
	for n := range asks {
		at := asked{p.here().Beat, n}
		if _, given := p.given[at]; given && p.run.Decides(&asks[n], p.at) == p.at {
			here = append(here, at)
		}
	}
	return here
}

// aboutAnswers explains the answers to these questions.
func (p *storyPage) aboutAnswers(w int) (out render.Lines) {
	for _, at := range p.decidedHere() {
		q := &p.run.Beats[at.beat].Questions[at.n]
		said := p.inWords(q)
		ask := said.Ask
		if ask == p.captionAt(p.at).Question {
			ask = "" // the caption has it
		}
		out = append(out, render.Explanation{
			Question: ask, Result: said.Result(p.given[at]), Right: p.given[at] == q.Answer, Open: p.given[at] == unsure, Reasons: said.Reasons(p.given[at]),
		}.Draw(p.Theme, w)...)
	}
	return out
}
