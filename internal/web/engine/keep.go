package engine

import "sync"

// An engine is one program of pages and what it keeps.
type engine struct {
	out  func(Answer)
	jobs jobs

	mu   sync.Mutex // of what follows, and of out
	kept string     // as the browser has it
}

func (e *engine) send(a Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out(a)
}

func (e *engine) load() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kept
}

func (e *engine) save(text string) error {
	e.stored(text)
	e.send(Answer{Save: &text})
	return nil
}

// stored takes what is kept now, perhaps by another page of the same site.
func (e *engine) stored(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = text
}

func (e *engine) copy(token string) error {
	e.send(Answer{Copy: token})
	return nil
}
