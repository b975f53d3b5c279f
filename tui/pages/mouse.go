package pages

// click presses the key of what is under it. A page need not know of it.
func (s *Shell) click(at Click) Cmd {
	if at.Y < 0 || at.Y >= len(s.zones) {
		return nil
	}
	for _, z := range s.zones[at.Y] {
		if at.X >= z.From && at.X < z.To {
			return s.pressTimes(z.Key, z.Times)
		}
	}
	return nil
}

// turn presses the key that scrolls or selects, or else the one that steps.
func (s *Shell) turn(w Wheel) Cmd {
	what := []string{downKey.does, stepKey.does, onPageKey.does}
	if w.Up {
		what = []string{upKey.does, stepBackKey.does, backPageKey.does}
	}
	for _, does := range what {
		for _, k := range s.keys() {
			if k.does == does && !k.off {
				return s.pressTimes(k.on[0], 1)
			}
		}
	}
	return nil
}

// pressTimes presses a key as if it were typed. What comes of it between two of
// them is worked out as after any message.
func (s *Shell) pressTimes(name string, times int) Cmd {
	var cmds []Cmd
	for range times {
		cmds = append(cmds, s.typeAhead(KeyNamed(name)))
	}
	return together(cmds...)
}
