package history

import "fmt"

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
func (m *Monitor) Consequence() string { return m.Effect().String() }

// Short says whether the stock does not show all that was sold, though there
// was enough of it.
func (e Effect) Short() bool { return e.Done <= e.Items && e.Gone != e.Done }

// String writes the effect as verdicts do.
func (e Effect) String() string {
	switch {
	case e.Resource == "task":
		return fmt.Sprintf("task run %s", times(e.Done))
	case e.Resource == "cache":
		return fmt.Sprintf("cache rebuilt %s", times(e.Done))
	case e.Short():
		return fmt.Sprintf("sold %d, but the stock fell by %d", e.Done, e.Gone)
	}
	return fmt.Sprintf("sold %d of %d", e.Done, e.Items)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
