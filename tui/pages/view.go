package pages

import "lockstep/tui/render"

// Below the least size a frame only says so. Below the other size it stacks panes and
// shows only some.
const (
	leastWidth, leastHeight = 40, 12
	wideWidth, wideHeight   = 96, 28
	margins                 = 3 // lines of title, status and footer
)

// The largest frame, drawn at the top left. A terminal may claim any size up to 65535 x
// 65535. The largest screens with the smallest readable letters have about so many
// cells. A browser, which wraps and scrolls by itself, has this size.
const mostWidth, mostHeight = 1000, 300

// Resize sets the size of the face.
func (s *Shell) Resize(width, height int) {
	s.face = Size{min(width, mostWidth), min(height, mostHeight)}
	s.fit()
}

// fit passes its size to the top page.
func (s *Shell) fit() {
	s.width, s.height = s.face.Width, s.face.Height
	if s.Airy = s.isLarge(); s.Airy && !s.Flow {
		s.width, s.height = s.largeSize()
	}
}

func (s *shared) isNarrow() bool { return s.width < wideWidth || s.height < wideHeight }

// room returns how many lines a page has for its body.
func (s *shared) room() int { return s.height - margins }

// Lines draws the frame: exactly as many lines as the face has, or as the bound allows,
// none wider. Clicks refer to the last drawn frame.
func (s *Shell) Lines() render.Lines {
	s.drawn = nil
	if w, h := s.face.Width, s.face.Height; w > 0 && h > 0 {
		s.drawn = s.frame(w, h).Block(w, h)
	}
	return s.drawn
}

func (s *Shell) frame(w, h int) render.Lines {
	switch {
	case w < leastWidth || h < leastHeight:
		with := facts{Width: w, Height: h, NeedWidth: leastWidth, NeedHeight: leastHeight}
		return render.Wrap(s.Fill("too_small", with), w)
	case s.talk != nil && s.talk.blank:
		return nil
	case s.isLarge():
		return s.large()
	}
	left, right := s.page().title()
	lines := append(render.Lines{ends(left, right, w, render.Title)}, s.page().body(s.width, s.room()).Block(s.width, s.room())...)
	left, right = s.page().status()
	status := s.noticeOr(ends(left, right, w, render.Strong), s.notice, w)
	return append(append(lines[:h-1-len(status)], status...), s.footer())
}

// noticeOr returns the whole of a notice, which may cover the end of the body, or else a line.
func (s *Shell) noticeOr(line render.Line, notice string, w int) render.Lines {
	if notice == "" {
		return render.Lines{line}
	}
	return render.Strong.Wrap(notice, w).Cut(w, s.face.Height/2)
}

// ends returns a line with a text at its left end, in a role, and a faint one at its
// right end.
func ends(left, right string, w int, role render.Role) render.Line {
	left, right = render.Ends(left, right, w)
	return render.Line{role.Of(left), render.Faint.Of(right)}
}
