package pages

import "time"

// A timer measures the time of a talk and of each chapter. It has no clock; its caller
// passes the time.
type timer struct {
	running bool
	last    time.Time                // when it was told so
	total   time.Duration            // until then
	spent   map[string]time.Duration // the same by chapter; that of no chapter is ""
	turn    int                      // number of the present stretch of running
}

// see adds the time since the last call to a chapter.
func (t *timer) see(now time.Time, chapter string) {
	if passed := now.Sub(t.last); t.running && passed > 0 { // a clock may be set back
		t.total += passed
		t.spent[chapter] += passed
	}
	t.last = now
}

// toggle starts or pauses it.
func (t *timer) toggle() {
	t.running = !t.running
	t.turn++
}

// never reports whether it was never started.
func (t *timer) never() bool { return !t.running && t.total == 0 }

// rest returns the time until the next full second.
func (t *timer) rest() time.Duration { return time.Second - t.total%time.Second }

// startTimer starts or pauses the timer.
func (s *Shell) startTimer() act {
	s.talk.timer.toggle()
	return s.nextSecond()
}

// nextSecond requests a tick at the next full second; not if nothing is to move by
// itself.
func (s *Shell) nextSecond() act {
	t := &s.talk.timer
	if !t.running || s.still {
		return nil
	}
	return func(s *Shell) Cmd { return s.later(t.rest(), s.talk.ticked(t.turn)) }
}

// ticked asks for the next second when one of a period is over, unless that has ended
// meanwhile.
func (t *talk) ticked(turn int) act {
	return func(s *Shell) Cmd {
		if s.talk != t || turn != t.timer.turn {
			return nil
		}
		return s.do(s.nextSecond())
	}
}

// seeTime updates the timer, at every event.
func (s *Shell) seeTime() {
	if s.talk != nil {
		s.talk.timer.see(s.clock(), s.chapterOf().ID)
	}
}
