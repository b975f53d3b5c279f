package pages

import "time"

// A timer counts the time of a talk and, of that, the time of each chapter. It has no
// clock: it is told what time it is.
type timer struct {
	running bool
	last    time.Time                // when it was told so
	total   time.Duration            // until then
	spent   map[string]time.Duration // the same by chapter; that of no chapter is ""
	turn    int                      // number of the present stretch of running
}

// ticked is that a second of a stretch of a talk is over.
type ticked struct {
	talk *talk
	turn int
}

// see takes the time that has passed, and of which chapter it was.
func (t *timer) see(now time.Time, chapter string) {
	if passed := now.Sub(t.last); t.running && passed > 0 { // a clock may be set back
		t.total += passed
		t.spent[chapter] += passed
	}
	t.last = now
}

// toggle starts it, or stops it for a while.
func (t *timer) toggle() {
	t.running = !t.running
	t.turn++
}

// never says whether it has not been started yet.
func (t *timer) never() bool { return !t.running && t.total == 0 }

// rest is how long it is until another second is full.
func (t *timer) rest() time.Duration { return time.Second - t.total%time.Second }

// startTimer starts the timer or stops it.
func (s *Shell) startTimer() act {
	s.talk.timer.toggle()
	return s.nextSecond()
}

// nextSecond asks to be told when the next second is over; not where nothing is to
// move by itself.
func (s *Shell) nextSecond() act {
	t := &s.talk.timer
	if !t.running || s.still {
		return nil
	}
	return func(s *Shell) Cmd { return s.later(t.rest(), ticked{s.talk, t.turn}) }
}

// seeTime takes the time, whatever has happened.
func (s *Shell) seeTime() {
	if s.talk != nil {
		s.talk.timer.see(s.clock(), s.chapterOf())
	}
}

// tick asks for the next one. One of another stretch does nothing.
func (s *Shell) tick(msg ticked) Cmd {
	if s.talk == nil || msg.talk != s.talk || msg.turn != s.talk.timer.turn {
		return nil
	}
	return s.do(s.nextSecond())
}
