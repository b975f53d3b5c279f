package pages

import "lockstep/internal/lesson"

var (
	answerKey = keyOf("answer") // others where a question has others
	unsureKey = keyOf("unsure")
	// the letters of choices elsewhere, and the digits of which none may be left
	noAnswerKey = keyOf("noAnswer")
)

func (p *storyPage) keys() []key {
	if p.run == nil {
		if p.failed != nil {
			return p.reader.keys()
		}
		return nil
	}
	_, question := p.asking()
	open := question == nil
	// while there is something to predict, no key tells whether anything is violated
	found := len(p.run.Found) > 0 || p.gate(p.rows-1) < p.rows-1
	keys := p.answerKeys()
	keys = append(keys,
		landmarkKey.now(func() { p.goTo(p.run.Landmark(p.at, p.lang)) }).when(open, "why_question").when(p.at < len(p.run.Rows)-1, "why_end"),
		stepKey.to(p.step).when(open, "why_question"), stepBackKey.by(-1, p.stepBy),
		firstKey.by(-far, p.stepBy), lastKey.by(far, p.stepBy).when(open, "why_question"),
		nextKey.by(1, p.toViolation).when(found, "why_no_violation").when(open, "why_question"),
		previousKey.by(-1, p.toViolation).when(found, "why_no_violation"),
		// the way ahead leads through the answer
		keyOf("firstFailure").now(p.toFirstFailure).when(found, "why_no_violation").when(open || len(p.run.Found) > 0 && p.run.Found[0].Row <= p.at, "why_question"))
	if p.talk != nil {
		q, _ := p.question(p.now())
		keys = append(keys, revealKey.to(func() act { return p.show.reveal(unsure) }).when(q != nil, "talk_no_question"))
	}
	keys = append(keys, p.toCauses(p.toCause)...)
	keys = append(keys, p.toIfOnly(),
		keyOf("play").to(p.playOrPause).when(open, "why_question"),
		keyOf("faster").to(func() act { return p.speed(1) }).when(!p.still),
		keyOf("slower").to(func() act { return p.speed(-1) }).when(!p.still))
	return append(append(keys, p.cardKeys()...),
		compareKey.to(p.compare).when(p.part == "", ""),
		p.toCopy().when(open, "why_question"),
		keyOf("fork").to(p.fork))
}

// answerKeys returns the keys of the open question; in a talk, of the one whose answer is not shown.
func (p *storyPage) answerKeys() []key {
	_, question := p.asking()
	answer := p.answer
	if p.talk != nil {
		if q, known := p.question(p.now()); known == p.show.turned {
			question, answer = q, p.show.reveal
		}
	}
	if question == nil {
		return nil
	}
	return answering(p.inWords(question).Choices, answer)
}

// answering returns the keys of a question with such choices.
func answering(choices []lesson.Choice, answer func(given string) act) (keys []key) {
	for i, c := range choices {
		k := answerKey.to(func() act { return answer(c.Answer) })
		k.on, k.shown = []string{choiceKey(i)}, "1-"+choiceKey(len(choices)-1)
		if i > 0 {
			k.group, k.rank = unlisted, 0
		}
		keys = append(keys, k)
	}
	return append(keys, unsureKey.to(func() act { return answer(unsure) }), noAnswerKey.when(false, "why_question"), onwardKey.when(false, "why_question"))
}

// rememberPane chooses another pane, also for later stories.
func (p *storyPage) rememberPane() {
	if p.nextPane(); p.pane != stepsPane {
		p.shared.pane = p.pane
	}
}

// cardKeys returns the keys of the card and of the panes.
func (p *storyPage) cardKeys() []key {
	var keys []key
	if p.covered() {
		keys = []key{upKey.by(-1, p.move), downKey.by(1, p.move)}
	}
	return append(keys, cardKey.now(p.showCard).when(p.hasCard(), "why_no_card"),
		paneKey.now(p.rememberPane).when((p.zoomed || !p.isTall()) && !p.covered()), p.toZoom())
}
