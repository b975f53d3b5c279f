package model

import "lockstep/sim/internal/pairs"

// A memo keeps the answers to questions about a client in some state.
type memo[T any] struct {
	questions []pairs.Map[int32] // by client: a number by its state and what is asked
	touched   []footprint        // by question: what its answers have depended on so far
	known     pairs.Map[int32]   // by question and view
	answers   []T
}

// find returns the number of a question, and the answer to it in an env if it
// is known.
func (a *memo[T]) find(m *Model, who int, client, env int32, what int16) (question int32, known *T) {
	numbers := &a.questions[who]
	if asked := numbers.Get(client, int32(what)); asked != nil {
		question = *asked
	} else {
		question = int32(len(a.touched))
		a.touched = append(a.touched, 0)
		numbers.Put(client, int32(what), question)
	}
	if n := a.known.Get(question, m.view(a.touched[question], env)); n != nil {
		return question, &a.answers[*n]
	}
	return question, nil
}

// note keeps an answer that was found in an env, by what has been touched since
// the visit to it. If that is more than the answers before it depended on, they
// are forgotten: no view of theirs has all its parts.
func (a *memo[T]) note(m *Model, question, env int32, answer T) *T {
	a.touched[question] |= m.touched
	a.known.Put(question, m.view(a.touched[question], env), int32(len(a.answers)))
	a.answers = append(a.answers, answer)
	return &a.answers[len(a.answers)-1]
}
