package pages

// maxAhead is how many keys may wait, as many as a terminal keeps by itself.
const maxAhead = 4096

// typeAhead puts keys behind those that still wait for what they are meant for:
// what a key does must not depend on how fast the machine is. Only what ends or
// stops the program overtakes them.
func (s *Shell) typeAhead(msg Key) Cmd {
	if overtakes(msg.Name) {
		return s.press(msg)
	}
	if len(s.ahead) > 0 && s.waits(s.ahead[0]) == untilAnother {
		s.ahead = nil
	}
	if s.ahead = append(s.ahead, msg); len(s.ahead) > maxAhead {
		s.ahead = s.ahead[:maxAhead]
	}
	return nil
}

// pressAhead presses the keys whose time has come.
func (s *Shell) pressAhead() Cmd {
	var cmds []Cmd
	for len(s.ahead) > 0 && s.waits(s.ahead[0]) == atOnce {
		next := s.ahead[0]
		s.ahead = s.ahead[1:]
		cmds = append(cmds, s.press(next), s.settle())
	}
	s.keyWaits = len(s.ahead) > 0
	return together(cmds...)
}

// waits says how long a key waits for what the page has still to show. Nobody
// has to wait for the help, for another language, or for the end.
func (s *Shell) waits(msg Key) patience {
	p, ok := s.page().(waiter)
	if name := msg.Name; ok && !helpKey.is(name) && !languageKey.is(name) && !quitKey.is(name) {
		return p.waits(name)
	}
	return atOnce
}
