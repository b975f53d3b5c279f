package pages

import "slices"

// maxAhead bounds the queue of keys, to as many as a terminal keeps.
const maxAhead = 4096

// typed queues keys. The effect of a key must not depend on the speed of the machine,
// so it waits for its object. Only keys that end or stop the program overtake others.
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

// ready reports whether the first key in the queue need not wait.
func (s *Shell) ready() bool { return len(s.ahead) > 0 && s.waits(s.ahead[0]) == atOnce }

// waits returns how long a key waits for what the page will still show. The keys for
// help, language and quitting never wait.
func (s *Shell) waits(msg Key) patience {
	if name := msg.Name; !helpKey.is(name) && !languageKey.is(name) && !quitKey.is(name) && !overtakes(name) {
		return s.page().waits(name)
	}
	return atOnce
}

// clicked returns the keys for a click. Pages do not know the mouse.
func (s *Shell) clicked(at Click) []Key {
	if at.Y < 0 || at.Y >= len(s.drawn) {
		return nil
	}
	span := s.drawn[at.Y].At(at.X)
	return slices.Repeat([]Key{KeyNamed(span.Press)}, span.Times)
}

// turned returns the key for the wheel: the one that scrolls or selects, or else the
// one that steps.
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
