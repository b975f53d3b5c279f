package pages

import (
	"slices"
	"time"
)

// A player is the cursor over the rows of a run, and in a talk over their slides. It
// may move by itself.
type player struct {
	rows    int
	at      int
	seen    int // the last row that the cursor was at
	slides  []slide
	slide   int // index of slides; its row is at
	playing bool
	speed   int // index of delays
	turn    int // number of the present stretch of playing
	moved   int // how far what moves at the row has come; see render.Cursor
}

// delays is how long each row stays while playing, slowest first.
var delays = []time.Duration{4 * time.Second, 2 * time.Second, time.Second, 500 * time.Millisecond, 250 * time.Millisecond}

const usualSpeed = 1

func newPlayer(rows, at int) player {
	p := player{rows: rows, speed: usualSpeed}
	p.seek(at)
	return p
}

// seek moves the cursor to a row, or to the nearest existing one, and stops playing.
func (p *player) seek(at int) {
	p.pause()
	p.to(at)
}

// to moves the cursor to a row and its first slide.
func (p *player) to(at int) {
	if at = max(0, min(at, p.rows-1)); at != p.at {
		p.at, p.moved, p.slide = at, 0, max(0, slices.IndexFunc(p.slides, func(s slide) bool { return s.row == at }))
	}
	p.seen = max(p.seen, p.at)
}

// toSlide moves the cursor to a slide; false if there is none. A class that sees the
// run for the first time does not know the rows ahead.
func (p *player) toSlide(i int) bool {
	if i < 0 || i >= len(p.slides) {
		return false
	}
	p.seek(p.slides[i].row)
	p.slide, p.seen = i, p.at
	return true
}

func (p *player) pause() {
	p.playing, p.moved = false, 0
	p.turn++
}

// toggle starts or stops playing. At the end it starts over.
func (p *player) toggle() {
	if p.playing {
		p.pause()
		return
	}
	if p.at == p.rows-1 {
		p.to(0)
	}
	p.playing = p.rows > 1
	p.turn++
}

// faster changes the speed by a number of steps.
func (p *player) faster(by int) {
	p.speed = max(0, min(p.speed+by, len(delays)-1))
	p.turn++ // the tick under way is for the old speed
}

// tick moves the cursor when the time of a turn is up, and reports whether another tick
// is due. A tick of an earlier turn does nothing.
func (p *player) tick(turn int) bool {
	if !p.playing || turn != p.turn {
		return false
	}
	p.to(p.at + 1)
	if p.at == p.rows-1 {
		p.pause()
	}
	return p.playing
}

func (p *player) delay() time.Duration { return delays[p.speed] }
