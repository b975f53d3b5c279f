package pages

import (
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

// answer records an answer and goes on. It saves whether it was right, if the story says why and
// has a name, of the library or in its chapter.
func (p *storyPage) answer(given string) act {
	at, question := p.asking()
	p.given[at] = given
	if _, more := p.asking(); more == nil {
		p.goTo(p.at + 1)
	}
	if !p.named && p.part == "" || question.Because(p.lang, question.Answer) == "" {
		return nil
	}
	return p.guess(p.story.Name, question.Question, given == question.Answer)
}

// guess saves whether an answer to a question of a story was right.
func (p *shared) guess(story, question string, right bool) act {
	return p.note(progress.Progress{Predictions: map[string]map[string]progress.Answer{story: {question: {First: right, Last: right}}}})
}

// inWords puts a question into words.
func (p *shared) inWords(q *scenarios.Prediction) lesson.Question {
	return lesson.QuestionOf(p.Book, p.lang, q)
}

// choicesOf returns choices with texts of their own: a digit each.
func (s *shared) choicesOf(ids, digits string, with facts) (list []lesson.Choice) {
	for _, n := range digits {
		list = append(list, lesson.Choice{Answer: string(n), Label: s.Fill(ids+string(n), with)})
	}
	return list
}

// choiceKey is the key of the answer at an index, in all faces.
func choiceKey(i int) string { return strconv.Itoa(i + 1) }

// bracketed is an answer after its key.
func bracketed(key, label string) string { return "[" + key + "] " + label }

// unmarked is an answer for a face that shows its key itself, or none.
func unmarked(_, label string) string { return label }

// asking returns a question with its answers below it.
func (p *shared) asking(q lesson.Question, mark func(key, label string) string, w int) render.Lines {
	return append(render.Ask.Wrap(q.Ask, w), p.answers(q.Choices, mark)...)
}

// answers returns a line for each answer.
func (p *shared) answers(of []lesson.Choice, mark func(key, label string) string) (lines render.Lines) {
	for i, c := range of {
		lines = append(lines, render.Strong.Line(mark(choiceKey(i), c.Label)).On(choiceKey(i), 1))
	}
	return append(lines, render.Normal.Line(mark(unsureKey.names(p.Book), unsureKey.text(p.Book))).On(unsureKey.on[0], 1))
}

// choices returns the line with the answers to choose from.
func (p *shared) choices(of []lesson.Choice) string {
	var parts []string
	for _, line := range p.answers(of, bracketed) {
		parts = append(parts, line.Text())
	}
	return strings.Join(parts, "   ")
}

// questionAt adds to a caption the question before the next row, or the one before the
// current command, without its answer until the run decides it. An open question comes
// with the caption of its command.
func (p *storyPage) questionAt(at int, c *render.Caption) {
	if _, q := p.unanswered(at + 1); q != nil {
		c.Question, c.Choices = q.Ask(p.lang), p.choices(p.inWords(q).Choices)
		text := p.run.Step(at+1).Caption(p.Book, p.lang)
		row, step := p.run.Rows[at], p.run.Step(at)
		told := step != nil && step.Caption(p.Book, p.lang) != ""
		if text == "" || told && slices.ContainsFunc(p.run.History.Events[row.From:row.To], func(e history.Event) bool { return e.Kind == history.Fault }) {
			return // the question is about what comes of the fault, of which the caption tells
		}
		if told && step == p.run.Told(at) && (row.First || p.run.Told(at-1) != step) { // no other row shows its caption
			text = p.Sentences(c.Text, text)
		}
		c.Text, c.Hint = text, ""
	} else if q, given, answered := p.lastQuestion(at); q != nil {
		c.Question = q.Ask(p.lang)
		if at >= p.run.Decides(q, at) {
			c.Answer = p.inWords(q).Answer().Label
		} else if answered && given != unsure {
			c.Choices = p.Fill("answer_noted", facts{Said: p.inWords(q).Of(given).Label})
		}
	}
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
		if said.Ask == p.captionAt(p.at).Question {
			said.Ask = "" // the caption has it
		}
		out = append(out, p.explained(said, p.given[at], said.Reasons(p.given[at]), w)...)
	}
	return out
}

// explained explains the answer to a question.
func (s *shared) explained(q lesson.Question, given string, reasons passages, w int) render.Lines {
	return render.Explanation{Question: q.Ask, Result: q.Result(given), Right: given == q.Answer().Answer, Open: given == unsure, Reasons: reasons}.Draw(s.Theme, w)
}
