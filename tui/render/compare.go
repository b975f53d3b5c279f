package render

import "lockstep/internal/diagram"

// besideFrom is the least width for two runs side by side.
const besideFrom = 100

// roomySide is the least height at which a side has separate lines for its verdict.
const roomySide = 5

// A Side is one of two compared runs: of two locks, or the original and a changed one.
type Side struct {
	Name string // whose run it is
	Says string // how it has fared so far
	Bad  bool   // it has violated something
	Note string // what else there is to say of it
	Run  *diagram.Diagram
	At   int // the row up to which it is shown
	// Parts is the first row from which on the two differ; -1 for none.
	Parts int
}

// Compare draws two runs side by side, or one below the other on a narrow screen.
func (t Theme) Compare(a, b Side, w, h int) Lines {
	if w < besideFrom {
		top := (h + 1) / 2
		return append(a.draw(t, w, top), b.draw(t, w, h-top)...)
	}
	half := (w - 1) / 2 // as wide as each other, so that both leave out the same
	return a.draw(t, half, h).Beside(b.draw(t, half, h), t.Bar)
}

// Verdict says how it has fared so far.
func (s Side) Verdict(t Theme) Line {
	if s.Bad {
		return Alarm.Line(t.Bad + " " + s.Says)
	}
	return Good.Line(s.Says)
}

func (s Side) draw(t Theme, w, h int) Lines {
	verdict := s.Verdict(t)
	out := append(Lines{t.Heading(s.Name, w)}, verdict[0].Role.Wrap(verdict.Text(), w)...)
	if h < roomySide {
		out = Lines{t.Heading(t.Pair(s.Name, verdict.Text()), w)}
	}
	out = append(out, Lesson.Wrap(s.Note, w)...)
	p := t.newLanePen(s.Run, w)
	p.parts, p.part = s.Parts, t.Text("legend_parts")
	switch room := h - len(out); {
	case room == 1: // what happened last says more than the lanes' names
		out = append(out, p.rows(s.At, 2)[1:]...)
	case room > 1:
		out = append(out, p.rows(s.At, room)...)
	}
	return out.Block(w, h)
}
