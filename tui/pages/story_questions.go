package pages

import (
	"slices"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// asked is where a story asks: before which of its commands, and which of
// the questions there.
type asked struct{ beat, n int }

// unsure is what is given by those who do not want to guess.
const unsure = ""

// unanswered finds the first open question before the command of a row. Only
// a command's first row has any. A class answers by hand: nothing waits for it.
func (p *storyPage) unanswered(row int) (asked, *scenarios.Prediction) {
	if p.talk != nil || row >= len(p.run.Rows) || !p.run.Rows[row].First {
		return asked{}, nil
	}
	beat := p.run.Rows[row].Beat
	step := p.step(beat)
	if step == nil {
		return asked{}, nil
	}
	for n := range step.Predict {
		if _, done := p.given[asked{beat, n}]; !done {
			return asked{beat, n}, &step.Predict[n]
		}
	}
	return asked{}, nil
}

// asking returns the question that has to be answered before the next row.
func (p *storyPage) asking() (asked, *scenarios.Prediction) {
	if p.run == nil {
		return asked{}, nil
	}
	return p.unanswered(p.player.at + 1)
}

// gate is how far the cursor may go towards a row: no further than the next
// question.
func (p *storyPage) gate(to int) int {
	for _, row := range p.asks {
		if p.player.at < row && row <= to {
			if _, open := p.unanswered(row); open != nil {
				return row - 1
			}
		}
	}
	return to
}

// asksOf are the rows before which a story asks.
func asksOf(s *scenarios.Story, r *lesson.Run) []int {
	var out []int
	for beat, step := range s.Steps {
		if from, to := r.RowsOf(beat); len(step.Predict) > 0 && from < to {
			out = append(out, from)
		}
	}
	return out
}

// answer takes an answer and goes on.
func (p *storyPage) answer(given string) act {
	at, question := p.asking()
	p.given[at] = given
	if _, more := p.asking(); more == nil {
		p.goTo(p.player.at + 1)
	}
	return p.keepGuess(question, given)
}

// keepGuess notes whether a question was answered rightly, if the story says why
// and has a name.
func (p *storyPage) keepGuess(question *scenarios.Prediction, given string) act {
	if !p.named || question.Because(p.lang, question.Answer) == "" {
		return nil
	}
	right := given == question.Answer
	guesses := map[string]progress.Answer{question.Question: {First: right, Last: right}}
	return p.note(progress.Progress{Predictions: map[string]map[string]progress.Answer{p.story.Name: guesses}})
}

// initials are the letters that answers may have for their keys: nothing else
// in the player does.
const initials = "123456789abny"

// choiceKeys are the keys of the answers: the initial of each, if they all have one
// that is free and their own, or else digits. Where 0 is an answer, whose key says
// something else, they have letters.
func choiceKeys(q *scenarios.Prediction) []string {
	choices := q.Choices()
	keys := make([]string, len(choices))
	own, others := true, "123456789"
	for i, choice := range choices {
		keys[i] = strings.ToLower(choice[:1])
		own = own && strings.Contains(initials, keys[i]) && !slices.Contains(keys[:i], keys[i])
		if unsureKey.is(keys[i]) {
			others = "ab" + initials
		}
	}
	if !own {
		for i := range keys {
			keys[i] = others[i : i+1]
		}
	}
	return keys
}

// choices is the line with the answers to choose from.
func (p *storyPage) choices(q *scenarios.Prediction) string {
	var parts []string
	for i, key := range choiceKeys(q) {
		parts = append(parts, "["+key+"] "+p.book.Answer(q.Choices()[i]))
	}
	parts = append(parts, "["+unsureKey.names(p.book)+"] "+unsureKey.text(p.book))
	return strings.Join(parts, "   ")
}

// questionAt adds to a caption what is asked before the next row, or what was
// asked before the present command. Its answer is not shown before it is decided. An
// open question comes with the caption of the command that it is about.
func (p *storyPage) questionAt(at int, c *render.Caption) {
	if _, q := p.unanswered(at + 1); q != nil {
		c.Question, c.Choices = q.Ask(p.lang), p.choices(q)
		if text := p.step(p.run.Rows[at+1].Beat).Caption(p.book, p.lang); text != "" {
			c.Text, c.Hint = text, ""
		}
		return
	}
	q, given, answered := p.lastQuestion(at)
	switch {
	case q == nil:
	case at >= p.decides(q, p.run.Rows[at].Beat):
		c.Question, c.Answer = q.Ask(p.lang), p.book.Answer(q.Answer)
	case answered:
		c.Question, c.Choices = q.Ask(p.lang), p.said(given)
	default:
		c.Question = q.Ask(p.lang)
	}
}

// lastQuestion returns the first open question about the command of a row, or
// else the last one with what was given.
func (p *storyPage) lastQuestion(row int) (q *scenarios.Prediction, given string, answered bool) {
	if row >= len(p.run.Rows) {
		return nil, "", false
	}
	beat := p.run.Rows[row].Beat
	step := p.step(beat)
	for n := 0; step != nil && n < len(step.Predict); n++ {
		q = &step.Predict[n]
		if given, answered = p.given[asked{beat, n}]; !answered {
			break
		}
	}
	return q, given, answered
}

func (p *storyPage) said(given string) string {
	if given == unsure {
		return ""
	}
	return p.book.Fill("answer_noted", prose.TextFacts{Said: p.book.Answer(given)})
}

func (p *storyPage) isLastOfBeat(row int) bool {
	return row+1 == len(p.run.Rows) || p.run.Rows[row+1].First
}

// decides is the row at which a question about a command is decided.
func (p *storyPage) decides(q *scenarios.Prediction, beat int) int { return p.run.Decides(q, beat) }

// explained says whether the row is where an answer is explained: where the run
// has decided the question.
func (p *storyPage) explained(row int) bool {
	beat := p.run.Rows[row].Beat
	step := p.step(beat)
	for n := 0; step != nil && n < len(step.Predict); n++ {
		if _, given := p.given[asked{beat, n}]; given && p.decides(&step.Predict[n], beat) == row {
			return true
		}
	}
	return false
}

// aboutAnswers is what is said to the answers that are decided at the cursor.
func (p *storyPage) aboutAnswers(w int) []render.Line {
	if !p.explained(p.player.at) {
		return nil
	}
	var out []render.Line
	beat := p.here().Beat
	step := p.step(beat)
	for n := range step.Predict {
		q := &step.Predict[n]
		given, answered := p.given[asked{beat, n}]
		if !answered || p.decides(q, beat) != p.player.at {
			continue
		}
		said := lesson.QuestionOf(p.book, p.lang, q)
		out = append(out, render.Explanation{
			Question: said.Ask, Result: said.Result(given), Right: given == q.Answer, Reasons: said.Reasons(),
		}.Draw(p.theme, w)...)
	}
	return out
}
