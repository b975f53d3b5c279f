package history

import "lockstep/internal/lang"

// An Effect is what became of the resource, in its own terms.
type Effect struct {
	Resource string
	Done     int64 // how often the guarded work was done: items sold, runs of the task, rebuilds
	Items    int64 // how often it may be
	Gone     int64 // by how much the stock fell
}

// Effect says what became of the resource so far.
func (m *Monitor) Effect() Effect {
	r, items := m.resource, m.config.Items()
	return Effect{m.config.Resource, r.written, items, items - r.left}
}

// Consequence says the same in words, such as "sold 2 of 1".
func (m *Monitor) Consequence() lang.Message { return m.Effect().Message() }

// Short says whether the stock does not show all that was sold, though there
// was enough of it.
func (e Effect) Short() bool { return e.Done <= e.Items && e.Gone != e.Done }

// Message says the effect as verdicts do.
func (e Effect) Message() lang.Message {
	switch {
	case e.Resource == "task" && e.Done == 1:
		return lang.New("task run once")
	case e.Resource == "task":
		return lang.New("task run %d times", e.Done)
	case e.Resource == "cache" && e.Done == 1:
		return lang.New("cache rebuilt once")
	case e.Resource == "cache":
		return lang.New("cache rebuilt %d times", e.Done)
	case e.Short():
		return lang.New("sold %d, but the stock fell by %d", e.Done, e.Gone)
	}
	return lang.New("sold %d of %d", e.Done, e.Items)
}
