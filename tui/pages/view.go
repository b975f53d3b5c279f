package pages

import (
	"strings"

	"lockstep/internal/prose"
	"lockstep/tui/render"
)

// Below the least size a frame says so; below the other one panes are stacked
// and only some are shown.
const (
	leastWidth, leastHeight = 40, 12
	wideWidth, wideHeight   = 80, 22
	margins                 = 3 // lines of title, status and footer
)

// No more than that is drawn, at the top left: a terminal says any size up to
// 65535 x 65535, and a frame is as large as what it says. The largest screens
// with the smallest letters that can be read have about so many cells.
const mostWidth, mostHeight = 1000, 300

// Resize takes the size of the face.
func (s *Shell) Resize(width, height int) {
	s.face = Size{min(width, mostWidth), min(height, mostHeight)}
	s.fit()
}

// fit gives the page on top its size.
func (s *Shell) fit() {
	s.width, s.height = s.face.Width, s.face.Height
	if s.theme.Airy = s.isLarge(); s.theme.Airy {
		s.width, s.height = s.largeSize()
	}
}

func (s *shared) isNarrow() bool { return s.width < wideWidth || s.height < wideHeight }

// room is how many lines a page has for its body.
func (s *shared) room() int { return s.height - margins }

// View draws the frame: exactly as many lines as the terminal has, or as are
// drawn at most, none wider.
func (s *Shell) View() string {
	w, h := s.face.Width, s.face.Height
	if w <= 0 || h <= 0 {
		return ""
	}
	var lines []string
	if w < leastWidth || h < leastHeight {
		facts := prose.TextFacts{Width: w, Height: h, NeedWidth: leastWidth, NeedHeight: leastHeight}
		lines = render.Wrap(s.book.Fill("too_small", facts), w)
	} else if s.talk != nil && s.talk.blank {
		lines = nil
	} else if s.isLarge() {
		lines = s.large()
	} else {
		lines = append(lines, s.titleLine())
		lines = append(lines, render.Block(s.page().body(w, s.room()), w, s.room())...)
		lines = append(lines, s.statusLine(), s.footer())
	}
	lines = render.Block(lines, w, h)
	s.zones = make([][]render.Zone, len(lines))
	for i, line := range lines {
		line, s.zones[i] = render.Zones(line)
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func (s *Shell) titleLine() string {
	left, right := s.page().title()
	left, right = render.Ends(left, right, s.width)
	return s.theme.Title.Render(left) + s.theme.Faint.Render(right)
}

// statusLine is what the page says of itself, or a notice.
func (s *Shell) statusLine() string {
	left, right := s.notice, ""
	if left == "" {
		left, right = s.page().status()
	}
	left, right = render.Ends(left, right, s.width)
	return s.theme.Strong.Render(left) + s.theme.Faint.Render(right)
}
