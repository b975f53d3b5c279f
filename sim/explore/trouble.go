package explore

import (
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// RealTime is the limit of a search that met code of a lock which did not come
// to the seam; see program.StuckError.
const RealTime = "real time"

// unlessStuck does a part of a search. Code that gets stuck on the way ends the
// search as an interrupt does.
func (e *search) unlessStuck(part func() error) error {
	err := part()
	if errors.As(err, &e.stuck) {
		e.stop()
		return nil
	}
	return err
}

// PanicIn describes the first panic among events; nothing if there is none.
func PanicIn(list []history.Event) lang.Message {
	for _, e := range list {
		if e.Kind == history.Panic {
			text := lang.New("client %s panicked: %s", e.Client, e.Text)
			if e.Source != "" {
				text = lang.New("%v at %s", text, e.Source)
			}
			return text
		}
	}
	return lang.Message{}
}
