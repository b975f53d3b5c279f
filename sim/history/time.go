package history

import (
	"fmt"
	"time"

	"lockstep/internal/lang"
)

// Millis is virtual time, or a length of it, in milliseconds. A world starts
// at 0.
type Millis int64

// Millisecond and Second are lengths of virtual time.
const (
	Millisecond Millis = 1
	Second      Millis = 1000
)

// Duration returns m as a time.Duration.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// String writes m as a Go duration without needless parts: "5s", "1m", "24h".
func (m Millis) String() string {
	switch {
	case m != 0 && m%(3600*Second) == 0:
		return fmt.Sprintf("%dh", m/(3600*Second))
	case m != 0 && m%(60*Second) == 0:
		return fmt.Sprintf("%dm", m/(60*Second))
	}
	return m.Duration().String()
}

// Epoch is the moment at which every world begins, for clients and nodes.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// MaxTime bounds a world's time, the deviation of clocks, and lengths of time:
// about 31 years.
const MaxTime = Millis(1_000_000_000_000)

// ParseMillis reads a Go duration of whole milliseconds.
func ParseMillis(s string) (Millis, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, lang.Errorf("%q is not a duration; use for example 500ms, 5s or 24h", s)
	}
	m := Millis(d / time.Millisecond)
	if m.Duration() != d {
		return 0, lang.Errorf("%q is not a whole number of milliseconds", s)
	}
	if m > MaxTime || m < -MaxTime {
		return 0, lang.Errorf("%q is too long; at most %v fits", s, MaxTime)
	}
	return m, nil
}
