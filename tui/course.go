package tui

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/strategies"
)

// A part is one step of a chapter.
type part string

// The parts in their order. A chapter leaves out those it has nothing for.
const (
	claimPart   part = "claim"
	workPart    part = "work"
	breakPart   part = "break"
	whyPart     part = "why"
	fixPart     part = "fix"
	comparePart part = "compare"
)

func partsOf(c scenarios.Chapter) []part {
	parts := []part{claimPart}
	if c.Works != nil {
		parts = append(parts, workPart)
	}
	if c.Breaks != nil {
		parts = append(parts, breakPart)
	}
	parts = append(parts, whyPart)
	if c.Fix != "" {
		parts = append(parts, fixPart, comparePart)
	}
	return parts
}

// A course is the state of the chapters: which is open, and what was done.
type course struct {
	chapters []scenarios.Chapter
	broken   error // chapters that could not be read
	chapter  menu
	part     menu // of the open chapter
	entered  bool // a chapter was open
	asks     bool // whether to forget the progress
}

// newCourse is at the chapter that was open last, or after it if it is done.
func newCourse(p progress) course {
	c := course{}
	c.chapters, c.broken = scenarios.Course()
	c.chapter.n = len(c.chapters)
	last := slices.IndexFunc(c.chapters, func(ch scenarios.Chapter) bool { return ch.Lock == p.Last })
	c.chapter.at = max(0, last)
	if c.chapter.n > 0 && p.Chapters[c.open().Lock].Done {
		c.chapter.move(1)
	}
	return c
}

// open is the chapter at the cursor.
func (c *course) open() scenarios.Chapter { return c.chapters[c.chapter.at] }

func (c *course) partHere() part { return partsOf(c.open())[c.part.at] }

// chaptersDone counts them.
func (m *model) chaptersDone() int {
	n := 0
	for _, ch := range m.course.chapters {
		if m.progress.Chapters[ch.Lock].Done {
			n++
		}
	}
	return n
}

// inCourse says whether the screen is a part of a chapter.
func (m *model) inCourse() bool {
	return m.screen == pageScreen || m.screen == playerScreen && m.from == courseScreen || m.comparesInCourse()
}

func (m *model) openCourse() { m.screen, m.scroll = courseScreen, 0 }

// openChapter begins the chapter at the cursor, or goes on where it was left.
// One that is done begins anew.
func (m *model) openChapter() tea.Cmd {
	c := &m.course
	if c.chapter.n == 0 {
		return nil
	}
	parts := partsOf(c.open())
	c.part = menu{0, len(parts)}
	if was := m.progress.Chapters[c.open().Lock]; !was.Done {
		c.part.at = max(0, slices.Index(parts, was.Part))
	}
	return m.openPart()
}

// openPart shows the part at which the chapter is.
func (m *model) openPart() tea.Cmd {
	c := &m.course
	chapter := c.open()
	m.lock, _ = strategies.Find(chapter.Lock)
	m.player.pause()
	m.story, m.run, m.failed, m.card, m.scroll = nil, nil, nil, false, 0
	m.generation++ // what is under way is for another part
	switch c.partHere() {
	case workPart:
		return m.playPart(chapter.Works)
	case breakPart:
		return m.playPart(chapter.Breaks)
	case comparePart:
		both := comparison{from: courseScreen, locks: [2]string{chapter.Lock, chapter.Fix}}
		return m.compare(both, func(context.Context) (*scenarios.Story, error) { return chapter.Breaks, nil })
	}
	m.screen = pageScreen
	return nil
}

// playPart plays a story with the chapter's lock, which need not be its own.
func (m *model) playPart(story *scenarios.Story) tea.Cmd {
	story = story.For(m.lock.ID)
	m.story = story
	generation := m.showPlayer(courseScreen, m.partName(), 0)
	ctx, lock := m.background.ctx, m.lock.ID
	return func() tea.Msg {
		result, err := scenarios.RunAgainst(ctx, story, lock)
		return newStoryRun(generation, story, result, err)
	}
}

// onward goes to the next part, or after the last one back to the chapters,
// to the next of them.
func (m *model) onward() tea.Cmd {
	c := &m.course
	if c.part.at+1 < c.part.n {
		c.part.at++
		return m.openPart()
	}
	c.chapter.move(1)
	m.leaveChapter()
	return nil
}

// backward goes to the part before.
func (m *model) backward() tea.Cmd {
	m.course.part.move(-1)
	return m.openPart()
}

// leaveChapter shows the chapters. The story of a part is none of its lock's
// for the other screens.
func (m *model) leaveChapter() {
	m.generation++
	m.player.pause()
	m.story, m.run, m.failed = nil, nil, nil
	m.screen, m.scroll = courseScreen, 0
}

// atStart and atEnd say whether there is nothing more of the open part in that
// direction.
func (m *model) atStart() bool {
	switch {
	case m.screen == compareScreen:
		return m.comparison.beat.at == 0
	case m.screen == playerScreen && m.run != nil:
		return m.player.at == 0
	}
	return true
}

func (m *model) atEnd() bool {
	switch {
	case m.screen == compareScreen:
		return m.comparison.atEnd()
	case m.screen == playerScreen:
		return m.run != nil && m.player.at == m.player.rows-1
	}
	return true
}

// enableCourse leaves on what does something in the course. At the end of what
// a part shows, the keys that step lead on to the next part.
func (m *model) enableCourse() {
	k, c := &m.keys, &m.course
	here := m.inCourse() && !m.covered
	k.Course.SetEnabled(m.screen == locksScreen && !m.covered)
	k.Onward.SetEnabled(here && (m.atEnd() || m.failed != nil || m.comparison.err != nil))
	k.Backward.SetEnabled(here && m.atStart() && c.part.at > 0)
	k.Reset.SetEnabled(m.screen == courseScreen && !m.covered)
	k.Confirm.SetEnabled(c.asks)
	on := func(when bool, keys ...*key.Binding) {
		for _, b := range keys {
			b.SetEnabled(when || b.Enabled())
		}
	}
	reads := !m.covered && (m.screen == pageScreen || m.screen == courseScreen)
	on(reads, &k.Up, &k.Down)
	on(reads, &k.First, &k.Last)
	on(reads && m.screen == courseScreen, &k.Open)
	if k.Onward.Enabled() {
		k.Step.SetEnabled(false)
	}
	if k.Backward.Enabled() {
		k.StepBack.SetEnabled(false)
	}
}
