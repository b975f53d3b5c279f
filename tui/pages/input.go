package pages

import "slices"

// maxAhead is how many keys may wait, as many as a terminal keeps by itself.
const maxAhead = 4096

// typed queues keys. What a key does must not depend on the speed of the machine, so a
// key waits for what it is meant for. Only a key that ends or stops the program goes
// first.
func (s *Shell) typed(keys ...Key) {
	for _, k := range keys {
		switch {
		case overtakes(k.Name):
			s.ahead = append([]Key{k}, s.ahead...)
			continue
		case len(s.ahead) > 0 && s.waits(s.ahead[0]) == untilAnother:
			s.ahead = nil
		}
		if len(s.ahead) < maxAhead {
			s.ahead = append(s.ahead, k)
		}
	}
}

// ready reports whether the first key of the queue need not wait.
func (s *Shell) ready() bool { return len(s.ahead) > 0 && s.waits(s.ahead[0]) == atOnce }

// waits returns how long a key waits for what the page has still to show. The keys for
// the help, the language and the end never wait.
func (s *Shell) waits(msg Key) patience {
	p, ok := s.page().(waiter)
	if name := msg.Name; ok && !helpKey.is(name) && !languageKey.is(name) && !quitKey.is(name) && !overtakes(name) {
		return p.waits(name)
	}
	return atOnce
}

// clicked returns the keys that a click stands for. Pages do not know the mouse.
func (s *Shell) clicked(at Click) []Key {
	if at.Y < 0 || at.Y >= len(s.drawn) {
		return nil
	}
	span := s.drawn[at.Y].At(at.X)
	return slices.Repeat([]Key{KeyNamed(span.Press)}, span.Times)
}

// turned returns the key that the wheel stands for: the one that scrolls or selects, or
// else the one that steps.
func (s *Shell) turned(w Wheel) []Key {
	what := []string{downKey.does, stepKey.does, onPageKey.does}
	if w.Up {
		what = []string{upKey.does, stepBackKey.does, backPageKey.does}
	}
	for _, does := range what {
		for _, k := range s.keys() {
			if k.does == does && !k.off {
				return []Key{KeyNamed(k.on[0])}
			}
		}
	}
	return nil
}
