package engine

import "sync"

// An engine is a walkthrough and what it stores.
type engine struct {
	out  func(Answer)
	jobs jobs

	mu   sync.Mutex // guards the following and out
	kept string     // the text as the browser has it
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

// stored takes the stored progress, perhaps of another page of the site.
func (e *engine) stored(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = text
}

func (e *engine) copy(token string) error {
	e.send(Answer{Copy: token})
	return nil
}
