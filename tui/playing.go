package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// storyRun is what a story's run gave. It is of no use if its generation is
// no longer the model's.
type storyRun struct {
	generation int
	story      *scenarios.Story
	run        *render.Run
	err        error
}

// playTick is the time of one row being up.
type playTick struct{ turn int }

// runStory runs the story outside of Update.
func (m *model) runStory() tea.Cmd {
	ctx, story, generation := m.background.ctx, m.story, m.generation
	return func() tea.Msg {
		result, err := scenarios.Run(ctx, story)
		return newStoryRun(generation, story, result, err)
	}
}

func newStoryRun(generation int, story *scenarios.Story, result *scenarios.Result, err error) tea.Msg {
	msg := storyRun{generation: generation, story: story, err: err}
	if err == nil {
		msg.run = newRun(result)
	}
	return msg
}

func (m *model) storyIsRun(msg storyRun) {
	if msg.generation != m.generation {
		return
	}
	if m.failed = msg.err; m.failed != nil {
		return
	}
	m.story, m.run = msg.story, msg.run
	m.asks = asksOf(m.story, m.run)
	m.player, m.given = newPlayer(len(m.run.Rows), m.startAt), map[place]string{}
	m.arrive()
}

// newRun hands a result to the renderer, which knows nothing of stories.
func newRun(r *scenarios.Result) *render.Run {
	beats := make([]render.Beat, len(r.Beats))
	for i, b := range r.Beats {
		beats[i] = render.Beat{Text: b.Step.Text, From: b.From, To: b.To, Output: b.Output}
	}
	return render.NewRun(r.History, beats, r.Violations)
}

// goTo moves the cursor to a row, or to the question before it.
func (m *model) goTo(at int) {
	before := m.player.at
	m.player.seek(m.gate(min(at, m.player.rows-1)))
	if m.player.at != before {
		m.arrive()
	}
}

// stepBy moves the cursor by so many rows, or commands of a comparison.
func (m *model) stepBy(by int) {
	if m.screen == compareScreen {
		m.comparison.beat.move(by)
		return
	}
	m.goTo(m.player.at + by)
}

// arrive shows the card if the row has a violation or explains an answer, and
// only then.
func (m *model) arrive() {
	m.card, m.scroll = m.hasCard(), 0
	if found := m.here().Found; len(found) > 0 {
		m.violation = found[0]
	}
	if _, p := m.asking(); m.card || p != nil {
		m.player.pause()
	}
}

func (m *model) hasCard() bool { return len(m.here().Found) > 0 || m.explained(m.player.at) }

// toViolation goes to the next violation or to the one before. Several may
// stand in one row.
func (m *model) toViolation(by int) {
	if m.screen == matrixScreen {
		m.board.choose(by)
		return
	}
	if m.screen == gameScreen {
		m.chooseViolation(by)
		return
	}
	target := -1
	for i, f := range m.run.Found {
		ahead := f.Row > m.player.at || f.Row == m.player.at && m.card && i > m.violation
		behind := f.Row < m.player.at || f.Row == m.player.at && m.card && i < m.violation
		if by > 0 && ahead && target < 0 || by < 0 && behind {
			target = i
		}
	}
	if target < 0 {
		return
	}
	m.toFound(target)
}

func (m *model) toggleCard() {
	if m.screen == matrixScreen {
		m.board.whole, m.scroll = !m.board.whole, 0
		return
	}
	m.card, m.scroll = !m.card, 0
	if found := m.here().Found; m.card && m.screen == playerScreen && len(found) > 0 {
		m.violation = found[0]
	}
}

func (m *model) play() tea.Cmd {
	before := m.player.at
	m.player.toggle()
	if m.player.at != before {
		m.arrive()
	}
	m.card = m.card && !m.player.playing
	for m.still && m.player.playing {
		m.tick(playTick{m.player.turn})
	}
	return m.nextTick()
}

func (m *model) speed(by int) tea.Cmd {
	m.player.faster(by)
	return m.nextTick()
}

// tick moves on by one row, unless the playing has ended meanwhile.
func (m *model) tick(msg playTick) tea.Cmd {
	before := m.player.at
	m.player.tick(msg.turn)
	if m.player.at == before {
		return nil
	}
	m.arrive()
	return m.nextTick()
}

// nextTick asks for the next tick; none while nothing plays, or takes time.
func (m *model) nextTick() tea.Cmd {
	if !m.player.playing || m.still {
		return nil
	}
	turn := m.player.turn
	return tea.Tick(m.player.delay(), func(_ time.Time) tea.Msg { return playTick{turn} })
}
