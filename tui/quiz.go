package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/tui/render"
)

// A place is where a story asks: before which of its commands, and which of
// the questions there.
type place struct{ beat, n int }

// unsure is what is given by those who do not want to guess.
const unsure = ""

// unanswered finds the first open question before the command of a row. Only
// a command's first row has any.
func (m *model) unanswered(row int) (place, *scenarios.Prediction) {
	if row >= len(m.run.Rows) || !m.run.Rows[row].First {
		return place{}, nil
	}
	beat := m.run.Rows[row].Beat
	step := m.step(beat)
	if step == nil {
		return place{}, nil
	}
	for n := range step.Predict {
		if _, done := m.given[place{beat, n}]; !done {
			return place{beat, n}, &step.Predict[n]
		}
	}
	return place{}, nil
}

// asking returns the question that has to be answered before the next row.
func (m *model) asking() (place, *scenarios.Prediction) {
	if m.screen != playerScreen || m.run == nil {
		return place{}, nil
	}
	return m.unanswered(m.player.at + 1)
}

// gate is how far the cursor may go towards a row: no further than the next
// question.
func (m *model) gate(to int) int {
	for _, row := range m.asks {
		if m.player.at < row && row <= to {
			if _, p := m.unanswered(row); p != nil {
				return row - 1
			}
		}
	}
	return to
}

// asksOf are the rows before which a story asks.
func asksOf(s *scenarios.Story, r *render.Run) []int {
	var out []int
	for beat, step := range s.Steps {
		if from, to := r.RowsOf(beat); len(step.Predict) > 0 && from < to {
			out = append(out, from)
		}
	}
	return out
}

// answer takes a key for an answer and goes on.
func (m *model) answer(key string) tea.Cmd {
	at, p := m.asking()
	if p == nil {
		return nil
	}
	given := unsure
	if i := slices.Index(choiceKeys(p), key); i >= 0 {
		given = p.Choices()[i]
	}
	m.given[at] = given
	if _, more := m.asking(); more == nil {
		m.goTo(m.player.at + 1)
	}
	return m.keepGuess(p, given)
}

// initials are the letters that answers may have for their keys: nothing else
// in the player does.
const initials = "123456789abny"

// choiceKeys are the keys of the answers: the initial of each where that is
// possible, else the first digit that is free.
func choiceKeys(p *scenarios.Prediction) []string {
	keys := make([]string, len(p.Choices()))
	for i, choice := range p.Choices() {
		initial := strings.ToLower(choice[:1])
		if strings.Contains(initials, initial) && !slices.Contains(keys, initial) {
			keys[i] = initial
		}
	}
	free := initials
	for i := range keys {
		for keys[i] == "" {
			if !slices.Contains(keys, free[:1]) {
				keys[i] = free[:1]
			}
			free = free[1:]
		}
	}
	return keys
}

// choices is the line with the answers to choose from.
func (m *model) choices(p *scenarios.Prediction) string {
	var parts []string
	for i, key := range choiceKeys(p) {
		parts = append(parts, "["+key+"] "+m.book.Answer(p.Choices()[i]))
	}
	parts = append(parts, "["+m.keys.Unsure.Help().Key+"] "+m.keys.Unsure.Help().Desc)
	return strings.Join(parts, "   ")
}

// questionAt adds to a caption what is asked before the next row, or what was
// asked before the present command. Its answer is not shown before its end. An
// open question comes with the caption of the command that it is about.
func (m *model) questionAt(at int, c *render.Caption) {
	if _, p := m.unanswered(at + 1); p != nil {
		c.Question, c.Choices = p.Ask(m.lang), m.choices(p)
		if text := m.caption(*m.step(m.run.Rows[at+1].Beat)); text != "" {
			c.Text, c.Hint = text, ""
		}
		return
	}
	p, given, answered := m.lastQuestion(at)
	switch {
	case p == nil:
	case m.isLastOfBeat(at):
		c.Question, c.Answer = p.Ask(m.lang), m.book.Answer(p.Answer)
	case answered:
		c.Question, c.Choices = p.Ask(m.lang), m.said(given)
	default:
		c.Question = p.Ask(m.lang)
	}
}

// lastQuestion returns the first open question about the command of a row, or
// else the last one with what was given.
func (m *model) lastQuestion(row int) (p *scenarios.Prediction, given string, answered bool) {
	if row >= len(m.run.Rows) {
		return nil, "", false
	}
	beat := m.run.Rows[row].Beat
	step := m.step(beat)
	for n := 0; step != nil && n < len(step.Predict); n++ {
		p = &step.Predict[n]
		if given, answered = m.given[place{beat, n}]; !answered {
			break
		}
	}
	return p, given, answered
}

func (m *model) said(given string) string {
	if given == unsure {
		return ""
	}
	return m.book.Fill("answer_noted", prose.TextFacts{Said: m.book.Answer(given)})
}

func (m *model) isLastOfBeat(row int) bool {
	return row+1 == len(m.run.Rows) || m.run.Rows[row+1].First
}

// explained says whether the row is where an answer is explained: the last one
// of the command that was asked about.
func (m *model) explained(row int) bool {
	if !m.isLastOfBeat(row) {
		return false
	}
	_, given := m.given[place{m.run.Rows[row].Beat, 0}]
	return given
}

// explanation is what is said to the answers about the command at the cursor.
func (m *model) explanation(w int) []string {
	if !m.explained(m.player.at) {
		return nil
	}
	var out []string
	beat := m.here().Beat
	step := m.step(beat)
	for n := range step.Predict {
		p := &step.Predict[n]
		given := m.given[place{beat, n}]
		e := render.Explanation{Question: p.Ask(m.lang), Result: m.result(p, given), Right: given == p.Answer}
		reason := func(id, choice string) {
			label := m.book.Fill(id, prose.TextFacts{What: m.book.Answer(choice)})
			e.Reasons = append(e.Reasons, render.Part{Label: label, Text: p.Because(m.lang, choice)})
		}
		reason("why_answer", p.Answer)
		for _, choice := range p.Choices() {
			if choice != p.Answer {
				reason("why_not_answer", choice)
			}
		}
		out = append(out, e.Draw(m.theme, w)...)
	}
	return out
}

// result says right or wrong only where the story says why.
func (m *model) result(p *scenarios.Prediction, given string) string {
	facts := prose.TextFacts{What: m.book.Answer(p.Answer), Said: m.book.Answer(given)}
	switch {
	case given == unsure || p.Because(m.lang, given) == "":
		return m.book.Fill("answer_told", facts)
	case given == p.Answer:
		return m.book.Fill("answer_right", facts)
	}
	return m.book.Fill("answer_wrong", facts)
}

// enableAnswers leaves on what can be pressed while a question is open, and
// nothing that would lead past it.
func (m *model) enableAnswers() {
	k := &m.keys
	_, p := m.asking()
	open := p != nil && !m.covered
	k.Answer.SetEnabled(open && len(p.Choices()) > 0)
	k.Unsure.SetEnabled(open)
	if k.Answer.Enabled() {
		keys := choiceKeys(p)
		k.Answer.SetKeys(keys...)
		k.Answer.SetHelp(strings.Join(keys, "/"), k.Answer.Help().Desc)
	}
	if open {
		k.Copy.SetEnabled(false) // its key may be an answer
		k.Step.SetEnabled(false)
		k.Play.SetEnabled(false)
		k.Last.SetEnabled(false)
		k.Next.SetEnabled(false)
	}
}
