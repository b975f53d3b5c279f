package render

import (
	"slices"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

const barWidth = 6

// Keys draws the keys in Redis with their remaining time. A key that the step changed
// is highlighted, with its old value, and is never left out.
func (t Theme) Keys(s lesson.Snapshot, w, h int) Lines {
	if len(s.Keys) == 0 {
		return Lines{Faint.Line(Trim("  "+t.Text("no_keys"), w))}
	}
	keys, more := s.Keys, ""
	if len(keys) > h && h > 0 {
		keys = slices.Clone(keys)
		slices.SortStableFunc(keys, func(a, b lesson.Key) int { return order(a) - order(b) })
		room := max(1, h-1)
		keys, more = keys[:room], t.Count("more", len(keys)-room)
	}
	var out Lines
	for _, k := range keys {
		out = append(out, t.keyLine(s, k, w))
	}
	if more != "" && h > 1 {
		out = append(out, Faint.Line(Trim("  "+more, w)))
	}
	return out
}

func order(k lesson.Key) int {
	if k.Changed {
		return 0
	}
	return 1
}

func (t Theme) keyLine(s lesson.Snapshot, k lesson.Key, w int) Line {
	name := k.Name
	if s.Nodes > 1 {
		name = k.Node + " " + name
	}
	mark, span := " ", Span{}
	switch {
	case k.Changed:
		mark, span = t.Here, Lit.Of("")
	case k.Owner > 0:
		span = of(k.Owner, "")
	}
	left := mark + " " + name + " " + k.Says(t.Book)
	if k.State == nil {
		span.Text = Trim(left, w)
		return Line{span}
	}
	life := t.lifetime(k, s.Now, barWidth)
	room := w - Width(life) - 1
	if room < Width(left) {
		life = t.lifetime(k, s.Now, barWidth/2)
		room = w - Width(life) - 1
	}
	if span.Text = Fit(left, room) + " " + life; room < 12 {
		span.Text = Fit(left, w)
	}
	return Line{span}
}

// lifetime returns a bar and a word for the remaining time of a key.
func (t Theme) lifetime(k lesson.Key, now history.Millis, bar int) string {
	left := k.State.Deadline - now
	switch {
	case k.State.Deadline == 0:
		return k.Left(now, t.Book)
	case left < 0:
		return strings.Repeat(t.Empty, bar) + " " + k.Left(now, t.Book)
	}
	full := 0
	if whole := k.State.Deadline - k.Since; whole > 0 {
		full = int((left*history.Millis(bar) + whole - 1) / whole)
	}
	full = min(bar, full)
	return strings.Repeat(t.Full, full) + strings.Repeat(t.Empty, bar-full) + " " + k.Left(now, t.Book)
}
