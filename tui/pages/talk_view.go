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
	below := s.talkLines()
	return append(append(lines, notes...)[:s.face.Height-len(below)], below...)
}

// talkLines returns the last line of a large page, the position and the time, or a notice, which
// may take more.
func (s *Shell) talkLines() render.Lines {
	time, over := s.timeText()
	w := max(leastColumn, s.face.Width-render.Width(time)-5)
	left, notice := s.talkText()
	out, late := s.noticeOr(render.Faint.Line(render.Trim(left, w)), notice, w), render.Faint
	if over {
		late = render.Alarm
	}
	out = out.Block(w+2, len(out)).Indent().Indent()
	out[0] = append(out[0], late.Of(time))
	return out
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
	return s.List(p.title())
}

// timeText returns the time of the talk and of the open chapter with its planned
// minutes; over means that these are used up.
func (s *Shell) timeText() (text string, over bool) {
	t := &s.talk.timer
	if t.never() {
		return "", false
	}
	text = clockText(t.total)
	if chapter := s.chapterOf(); chapter.Minutes > 0 {
		spent := t.spent[chapter.ID]
		text = s.Fill("talk_time", facts{What: text, Said: clockText(spent), N: chapter.Minutes})
		over = spent > time.Duration(chapter.Minutes)*time.Minute
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
	text := cmp.Or(s.course.Said(s.lang, s.chapterOf().ID).Notes, s.Text("talk_no_notes"))
	var out render.Lines
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines := render.Wrap(paragraph, w)
		if out = append(out, lines...); lines == nil {
			out = append(out, nil)
		}
	}
	return out
}

// turnNotes shows the notes, then the part that did not fit, and then none.
func (s *Shell) turnNotes() {
	t := s.talk
	if t.noted {
		t.noted = t.notes.scroll(s.notesText(), s.notesRoom(), 1)
	} else {
		t.noted, t.notes.from = true, 0
	}
}

// nextPane shows another pane of a run.
func (t *talk) nextPane() {
	order := []pane{stepsPane, sourcePane, keysPane, beliefsPane, stripPane}
	t.pane = order[(slices.Index(order, t.pane)+1)%len(order)]
}
