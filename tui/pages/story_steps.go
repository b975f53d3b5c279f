package pages

import (
	"slices"
	"time"

	"lockstep/tui/render"
)

// goTo moves the cursor to a row, or to the question before it.
func (p *storyPage) goTo(at int) {
	before := p.at
	p.seek(p.gate(min(at, p.rows-1)))
	if p.at != before {
		p.arrive()
	}
}

// ahead is viewerHost's.
func (p *storyPage) ahead() string { return p.run.Ahead(p.at) }

func (p *storyPage) stepBy(by int) { p.goTo(p.at + by) }

// glideTime is how long what moves at a row takes to come a bit further: a few of them, and
// no more than 150 ms for a row.
const glideTime = 40 * time.Millisecond

// step goes to the next row, and lets its message cross the lanes.
func (p *storyPage) step() act {
	before := p.at
	p.stepBy(1)
	return p.glide(before)
}

// glide begins to move what moves at the row, if the cursor has just come there.
func (p *storyPage) glide(before int) act {
	if !p.glides || p.at != before+1 {
		return nil
	}
	row := p.here()
	if from, _ := p.run.Wire(row); from < 0 && !p.picture.of(p.run).Passes[p.at] {
		return nil
	}
	p.moved = 1
	return after(glideTime, p.glided(p.at, 2))
}

// glided moves on what moves at a row, unless the cursor has left it meanwhile.
func (p *storyPage) glided(row, moved int) act {
	return func(s *Shell) Cmd {
		if row != p.at || moved != p.moved+1 {
			return nil
		}
		if moved == render.Strides {
			p.moved = 0
			return nil
		}
		p.moved = moved
		return s.do(after(glideTime, p.glided(row, moved+1)))
	}
}

// arrive shows the card if, and only if, the row has a violation or explains an answer.
func (p *storyPage) arrive() {
	p.card, p.from = p.hasCard(), 0
	if found := p.here().Found; len(found) > 0 {
		p.violation = found[0]
	}
	if _, open := p.asking(); p.card || open != nil {
		p.pause()
	}
}

func (p *storyPage) hasCard() bool { return len(p.here().Found) > 0 || len(p.decidedHere()) > 0 }

// toViolation goes to the next or previous violation. A row may have several.
func (p *storyPage) toViolation(by int) {
	target := -1
	for i, f := range p.run.Found {
		ahead := f.Row > p.at || f.Row == p.at && p.card && i > p.violation
		behind := f.Row < p.at || f.Row == p.at && p.card && i < p.violation
		if by > 0 && ahead && target < 0 || by < 0 && behind {
			target = i
		}
	}
	switch {
	case target >= 0:
		p.toFound(target)
	case by > 0 && !p.toQuestion() && len(p.run.Found) > 0: // from the last to the first
		p.toFound(0)
	}
}

// toQuestion goes to the next open question, and reports whether there is one.
func (p *storyPage) toQuestion() bool {
	to := p.gate(p.rows - 1)
	open := to < p.rows-1
	if open {
		p.goTo(to)
	}
	return open
}

// showCard shows the card of the row, or hides it.
func (p *storyPage) showCard() {
	p.turnCard()
	if found := p.here().Found; p.card && len(found) > 0 {
		p.violation = found[0]
	}
}

func (p *storyPage) playOrPause() act {
	before := p.at
	p.player.toggle()
	if p.at != before {
		p.arrive()
	}
	p.card = p.card && !p.playing
	for p.still && p.playing {
		p.tick(p.player.turn)
	}
	return p.nextTick()
}

func (p *storyPage) speed(by int) act {
	p.player.faster(by)
	return p.nextTick()
}

// tick moves on by one row, unless playing has stopped meanwhile.
func (p *storyPage) tick(turn int) act {
	before := p.at
	p.player.tick(turn)
	if p.at == before {
		return nil
	}
	p.arrive()
	return all(p.nextTick(), p.glide(before))
}

// nextTick requests the next tick, if something plays and takes time.
func (p *storyPage) nextTick() act {
	if !p.playing || p.still {
		return nil
	}
	turn := p.player.turn
	return after(p.player.delay(), func(s *Shell) Cmd { return s.do(p.tick(turn)) })
}

// toFirstFailure goes to the first failure of any invariant, and from there to the
// first failure of each other one in turn.
func (p *storyPage) toFirstFailure() {
	var firsts []int
	for i, f := range p.run.Found {
		if p.run.FirstOf(f.Invariant) == i {
			firsts = append(firsts, i)
		}
	}
	next := 0
	if i := slices.Index(firsts, p.violation); i >= 0 && p.run.Found[p.violation].Row == p.at && p.card {
		next = (i + 1) % len(firsts)
	}
	if firsts == nil {
		p.toQuestion()
		return
	}
	p.toFound(firsts[next])
}

// toFound goes to a violation and shows its card, or to the question before it.
func (p *storyPage) toFound(i int) {
	row := p.run.Found[i].Row
	if p.gate(row) != row {
		p.goTo(row)
		return
	}
	p.seek(row)
	p.card, p.violation, p.from = true, i, 0
}

// toCause goes to a cause, without a card.
func (p *storyPage) toCause(row int) act {
	p.goTo(row)
	p.card = p.card && len(p.here().Found) == 0
	return nil
}

// compare asks for a lock to compare the story with.
func (p *storyPage) compare() act {
	p.pause()
	story := p.story.WithoutReplays()
	return push(newSecondPage(p.shared, p.name, story.Strategy(), known(story)))
}
