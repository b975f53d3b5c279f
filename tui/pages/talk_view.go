package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/tui/render"
)

// In a talk, a page that a remote turns is large: a column that is readable at a
// glance, with room around it, and one line below. The face chooses the size of
// letters; fewer cells mean larger ones.
const (
	columnWidth  = 64
	columnHeight = 26
	leastColumn  = 8 // lines that the notes leave it
)

// isLarge reports whether the top page is large, itself or the page that it covers.
func (s *Shell) isLarge() bool { return s.talk != nil && s.turner() != nil }

// largeSize returns the size in cells for a large page.
func (s *Shell) largeSize() (w, h int) {
	w = min(columnWidth, s.face.Width-2*min(2, (s.face.Width-leastWidth)/2))
	h = s.face.Height - 2 - 2*min(1, (s.face.Height-leastHeight)/2)
	return w, min(columnHeight, h-len(s.notesPane())) + margins
}

// large draws the frame of a large page.
func (s *Shell) large() render.Lines {
	w, h := s.width, s.room()
	notes := s.notesPane()
	above := (s.face.Height - h - len(notes) - 1) / 2
	left := strings.Repeat(" ", (s.face.Width-w)/2)
	lines := make(render.Lines, above)
	for _, line := range s.page().body(w, h).Block(w, h) {
		lines = append(lines, append(render.Normal.Line(left), line...))
	}
	lines = lines.Block(s.face.Width, s.face.Height-len(notes)-1)
	lines = append(lines, notes...)
	return append(lines, s.talkLine())
}

// talkLine returns the last line of a large page: the position or a notice, and the
// time.
func (s *Shell) talkLine() render.Line {
	time, over := s.timeText()
	w := s.face.Width - render.Width(time) - 1
	left, notice := s.talkText()
	role, late := render.Faint, render.Faint
	if notice != "" {
		role, left = render.Strong, notice
	}
	if over {
		late = render.Alarm
	}
	margin := strings.Repeat(" ", min(2, (s.face.Width-leastWidth)/2))
	return render.Line{role.Of(render.Fit(margin+left, w-2) + "  "), late.Of(time)}
}

// talkText returns the position and the current notice.
func (s *Shell) talkText() (where, notice string) {
	notice = s.notice
	if notice == "" && s.talk.number != "" {
		notice = s.Fill("talk_to", facts{What: s.talk.number, Said: s.named(goThereKey)})
	}
	return s.whereText(), notice
}

// whereText returns the page's title, or what it waits for.
func (s *Shell) whereText() string {
	p := s.page()
	if p.waits(onPageKey.on[0]) != atOnce {
		left, _ := p.status()
		return left
	}
	left, right := p.title()
	if right == "" {
		return left
	}
	return s.List(left, right)
}

// timeText returns the time of the talk and of the open chapter with its planned
// minutes; over means that these are used up.
func (s *Shell) timeText() (text string, over bool) {
	t := &s.talk.timer
	if t.never() {
		return "", false
	}
	text = clockText(t.total)
	if chapter := s.chapterOf(); chapter != "" {
		spent, planned := t.spent[chapter], s.minutesOf(chapter)
		if planned > 0 {
			text = s.Fill("talk_time", facts{What: text, Said: clockText(spent), N: planned})
			over = spent > time.Duration(planned)*time.Minute
		}
	}
	if !t.running {
		text = s.With(text, s.Text("paused"))
	}
	return text, over
}

// clockText writes a duration as 3:05 or 1:03:05.
func clockText(d time.Duration) string {
	m, sec := int(d/time.Minute), int(d/time.Second)%60
	if m < 60 {
		return fmt.Sprintf("%d:%02d", m, sec)
	}
	return fmt.Sprintf("%d:%02d:%02d", m/60, m%60, sec)
}

// notesPane returns the visible part of the trainer's notes; none if they are off.
func (s *Shell) notesPane() render.Lines {
	if s.talk == nil || !s.talk.noted {
		return nil
	}
	text, room := s.notesText(), s.notesRoom()
	name := s.Text("talk_notes")
	if part := s.talk.notes.count(s.Book, text, room); part != "" {
		name = s.With(name, part)
	}
	return append(render.Lines{s.Heading(name, s.face.Width)}, s.talk.notes.show(text, room).Indent()...)
}

func (s *Shell) notesRoom() int {
	return max(1, min((s.face.Height-2)/2, s.face.Height-4-leastColumn)-1)
}

// notesText returns the notes of the open chapter.
func (s *Shell) notesText() render.Lines {
	w := min(s.face.Width-2, columnWidth+8)
	if s.Flow {
		w = mostWidth
	}
	text := cmp.Or(s.course.Said(s.lang, s.chapterOf()).Notes, s.Text("talk_no_notes"))
	var out render.Lines
	for i, paragraph := range strings.Split(text, "\n") {
		if i > 0 && strings.TrimSpace(paragraph) == "" {
			out = append(out, nil)
			continue
		}
		out = append(out, render.Wrap(paragraph, w)...)
	}
	return out
}

// turnNotes shows the notes, then the part that did not fit, and then none.
func (s *Shell) turnNotes() {
	t := s.talk
	room, text := s.notesRoom(), s.notesText()
	switch {
	case !t.noted:
		t.noted, t.notes.from = true, 0
	case t.notes.from+room < len(text):
		t.notes.from += room
	default:
		t.noted = false
	}
	t.notes.from = min(t.notes.from, max(0, len(text)-room))
}

// nextPane shows another pane of a run.
func (t *talk) nextPane() {
	order := []pane{stepsPane, sourcePane, keysPane, beliefsPane, stripPane}
	t.pane = order[(slices.Index(order, t.pane)+1)%len(order)]
}
