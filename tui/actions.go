package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/strategies"
)

// An action is a key and what it does.
type action struct {
	key *key.Binding
	do  func() tea.Cmd
}

// actions is the one table of what the keys do. Those of another screen are
// disabled.
func (m *model) actions() []action {
	k := &m.keys
	now := func(do func()) func() tea.Cmd { return func() tea.Cmd { do(); return nil } }
	return append(m.gameActions(), []action{
		{&k.Interrupt, func() tea.Cmd { return tea.Interrupt }},
		{&k.Quit, func() tea.Cmd { return tea.Quit }},
		{&k.Suspend, func() tea.Cmd { return tea.Suspend }},
		{&k.Help, now(func() { m.covered, m.token, m.scroll = !m.covered, "", 0 })},
		{&k.Back, now(m.back)},
		{&k.Search, now(m.openSearch)},
		{&k.Up, now(func() { m.move(-1) })},
		{&k.Down, now(func() { m.move(1) })},
		{&k.Left, now(func() { m.board.move(0, -1) })},
		{&k.Right, now(func() { m.board.move(0, 1) })},
		{&k.Matrix, m.openMatrix},
		{&k.Course, now(m.openCourse)},
		{&k.Onward, m.onward},
		{&k.Backward, m.backward},
		{&k.Reset, now(m.askReset)},
		{&k.Open, m.open},
		{&k.Step, now(func() { m.stepBy(1) })},
		{&k.StepBack, now(func() { m.stepBy(-1) })},
		{&k.First, now(func() { m.toEnd(false) })},
		{&k.Last, now(func() { m.toEnd(true) })},
		{&k.Play, m.play},
		{&k.Faster, func() tea.Cmd { return m.speed(1) }},
		{&k.Slower, func() tea.Cmd { return m.speed(-1) }},
		{&k.Next, now(func() { m.toViolation(1) })},
		{&k.Previous, now(func() { m.toViolation(-1) })},
		{&k.Pane, now(m.nextPane)},
		{&k.Card, now(m.toggleCard)},
		{&k.Compare, now(m.chooseSecond)},
		{&k.FirstFailure, now(m.toFirstFailure)},
		{&k.Copy, m.copyToken},
	}...)
}

func (m *model) back() {
	switch {
	case m.covered:
		m.covered, m.token = false, ""
	case m.showsRun() && m.card:
		m.card = false
	case m.screen == gameScreen:
		m.leaveGame()
	case m.inCourse():
		m.leaveChapter()
	case m.screen == compareScreen:
		m.leaveComparison()
	case m.screen == againstScreen:
		m.screen = m.against.from
	case m.screen == playerScreen:
		m.player.pause()
		m.generation++ // a run under way is no longer wanted
		m.screen = m.from
		if m.from == matrixScreen {
			m.story, m.run = nil, nil // it is no story of its lock
		}
	case m.screen == matrixScreen && m.board.whole:
		m.board.whole = false
	case m.screen == lockScreen:
		m.screen = storiesScreen
	case m.screen == storiesScreen || m.screen == matrixScreen || m.screen == levelsScreen || m.screen == courseScreen:
		m.screen = locksScreen
	}
	m.scroll = 0
}

// move is up or down: a selection, or a text that is too long.
func (m *model) move(by int) {
	switch {
	case m.covered || m.screen == lockScreen || m.screen == playerScreen || m.screen == matrixScreen && m.board.whole, m.gameScrolls():
		m.scroll = max(0, m.scroll+by) // the view finds the end
	case m.screen == locksScreen:
		m.locks.move(by)
	case m.screen == storiesScreen:
		m.choice.move(by)
	case m.screen == matrixScreen:
		m.board.move(by, 0)
	case m.screen == levelsScreen:
		m.levels.menu.move(by)
	case m.screen == gameScreen && m.showsMoves():
		m.game.choose(by)
	case m.screen == courseScreen:
		m.course.chapter.move(by)
	case m.screen == againstScreen:
		m.against.menu.move(by)
	case m.screen == pageScreen || m.screen == compareScreen:
		m.scroll = max(0, m.scroll+by)
	}
}

// toEnd goes to the first or the last of what there is.
func (m *model) toEnd(last bool) {
	const far = 1 << 20
	by := -far
	if last {
		by = far
	}
	if !m.covered && (m.screen == playerScreen || m.screen == compareScreen) {
		m.stepBy(by)
		return
	}
	m.move(by)
}

func (m *model) open() tea.Cmd {
	switch m.screen {
	case matrixScreen:
		return m.openCell()
	case levelsScreen:
		return m.openLevel()
	case againstScreen:
		return m.compareWithSecond()
	}
	if m.screen == courseScreen {
		return m.openChapter()
	}
	if m.screen == locksScreen {
		m.openLock(strategies.Catalogue[m.locks.at])
		return nil
	}
	if m.choice.at == 0 {
		m.screen, m.scroll = lockScreen, 0
		return nil
	}
	return m.openStory(m.ofLock()[m.choice.at-1], 0)
}

// openLock shows the stories of a lock.
func (m *model) openLock(info strategies.Info) {
	m.locks.at = slices.IndexFunc(strategies.Catalogue, func(other strategies.Info) bool { return other.ID == info.ID })
	m.lock, m.screen, m.scroll = info, storiesScreen, 0
	m.choice = menu{0, 1 + len(m.ofLock())}
	m.choice.move(1) // the first story, if there is one
}

// openStory runs a story and shows it from the given row on.
func (m *model) openStory(s *scenarios.Story, at int) tea.Cmd {
	m.story = s
	stories := m.ofLock()
	m.choice = menu{1 + slices.Index(stories, s), 1 + len(stories)}
	m.showPlayer(storiesScreen, s.Title(), at)
	return m.runStory()
}

// showPlayer shows the player before it has a run, and returns the generation
// of the run that it waits for.
func (m *model) showPlayer(from screen, title string, at int) (generation int) {
	m.from, m.title, m.startAt = from, title, at
	m.run, m.failed, m.card = nil, nil, false
	m.screen, m.scroll = playerScreen, 0
	m.generation++
	return m.generation
}
