package pages

import (
	"strings"
	"testing"
)

func TestPlayer(t *testing.T) {
	tick := func(p *player) { p.tick(p.turn) }
	for _, c := range []struct {
		name    string
		rows    int
		do      []func(*player)
		at      int
		playing bool
	}{
		{"begins at the first row", 5, nil, 0, false},
		{"seeks", 5, []func(*player){func(p *player) { p.seek(3) }}, 3, false},
		{"stops at the first row", 5, []func(*player){func(p *player) { p.seek(-7) }}, 0, false},
		{"stops at the last row", 5, []func(*player){func(p *player) { p.seek(7) }}, 4, false},
		{"plays", 5, []func(*player){(*player).toggle, tick, tick}, 2, true},
		{"pauses", 5, []func(*player){(*player).toggle, tick, (*player).toggle, tick}, 1, false},
		{"stops playing at the end", 3, []func(*player){(*player).toggle, tick, tick, tick}, 2, false},
		{"stops playing when moved", 5, []func(*player){(*player).toggle, func(p *player) { p.seek(2) }, tick}, 2, false},
		{"plays from the start again", 3, []func(*player){func(p *player) { p.seek(2) }, (*player).toggle}, 0, true},
		{"ignores a tick of before", 5, []func(*player){(*player).toggle, func(p *player) { p.tick(p.turn - 1) }}, 0, true},
		{"has nothing to play", 1, []func(*player){(*player).toggle, tick}, 0, false},
		{"goes on at another speed", 5, []func(*player){(*player).toggle, func(p *player) { p.faster(1) }, tick}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer(c.rows, 0)
			for _, do := range c.do {
				do(&p)
			}
			if p.at != c.at || p.playing != c.playing {
				t.Errorf("at %d, playing %v; want %d, %v", p.at, p.playing, c.at, c.playing)
			}
		})
	}
}

func TestSpeed(t *testing.T) {
	p := newPlayer(3, 0)
	usual := p.delay()
	if p.faster(1); p.delay() >= usual {
		t.Errorf("faster is %v after %v", p.delay(), usual)
	}
	p.faster(99)
	fastest := p.delay()
	p.faster(-99)
	if slowest := p.delay(); fastest != delays[len(delays)-1] || slowest != delays[0] {
		t.Errorf("between %v and %v", fastest, slowest)
	}
}

// TestNoAnimation: playing goes at once to where it would have stopped, and
// asks for no tick.
func TestNoAnimation(t *testing.T) {
	moving, still := start(t, Options{Story: parse(t, crashStory)}, 80, 24), start(t, Options{Story: parse(t, crashStory), NoAnimation: true}, 80, 24)
	for _, answer := range []string{"n", "x", "x"} {
		press(moving, " ")
		for view(moving).player.playing {
			moving.Update(answerOf(moving, playTick{view(moving).player.turn}))
		}
		if cmd := press(still, " "); cmd != nil && !view(still).card || view(still).player.playing {
			t.Error("it plays on")
		}
		if view(still).player.at != view(moving).player.at || view(still).card != view(moving).card {
			t.Errorf("at step %d, card %v; playing stops at %d, %v", view(still).player.at+1, view(still).card, view(moving).player.at+1, view(moving).card)
		}
		press(moving, answer)
		press(still, answer)
	}
	if frame := still.View(); strings.Contains(frame, "a step)") || works(still, fasterKey) {
		t.Errorf("there is a pace:\n%s", frame)
	}
}
