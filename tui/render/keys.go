package render

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/sim/history"
)

const barWidth = 6

// Keys draws what Redis stores, with the time that each key has left.
func Keys(s Snapshot, l Labels, t Theme, w, h int) []string {
	if len(s.Keys) == 0 {
		return []string{t.Faint.Render(Trim("  "+l.NoKeys, w))}
	}
	var out []string
	for _, k := range s.Keys {
		out = append(out, keyLine(s, k, l, t, w))
	}
	if len(out) > h && h > 0 {
		out = append(out[:h-1], t.Faint.Render(Trim("  "+l.More(len(out)-h+1), w)))
	}
	return out
}

func keyLine(s Snapshot, k Key, l Labels, t Theme, w int) string {
	name := k.Name
	if s.Nodes > 1 {
		name = k.Node + " " + name
	}
	if k.State == nil {
		return t.Strong.Render(Trim(fmt.Sprintf("%s %s %s (%s %s)", t.Change, name, l.Gone, l.Was, k.Was.Value), w))
	}
	mark, word := " ", ""
	if k.Changed {
		mark, word = t.Change, changed(k, l)
	}
	left := fmt.Sprintf("%s %s = %s%s", mark, name, k.State.Value, word)
	life := lifetime(k, s.Now, l, t, barWidth)
	room := w - ansi.StringWidth(life) - 1
	if room < ansi.StringWidth(left) {
		life = lifetime(k, s.Now, l, t, barWidth/2)
		room = w - ansi.StringWidth(life) - 1
	}
	if room < 12 {
		life, room = "", w
	}
	line := Fit(left, room) + " " + life
	if life == "" {
		line = Fit(left, room)
	}
	if k.Changed {
		return t.Strong.Render(line)
	}
	return line
}

func changed(k Key, l Labels) string {
	switch {
	case k.Was == nil:
		return ", " + l.New
	case k.Was.Value != k.State.Value:
		return ", " + l.Was + " " + k.Was.Value
	case k.Was.Deadline != k.State.Deadline:
		return ", " + l.NewTTL
	}
	return ""
}

// lifetime is a bar and a word for how long a key will still be there.
func lifetime(k Key, now history.Millis, l Labels, t Theme, bar int) string {
	if k.State.Deadline == 0 {
		return l.NoTTL
	}
	left := k.State.Deadline - now
	if left < 0 {
		return strings.Repeat(t.Empty, bar) + " " + l.TTLOver
	}
	full := 0
	if whole := k.State.Deadline - k.Since; whole > 0 {
		full = int((left*history.Millis(bar) + whole - 1) / whole)
	}
	full = min(bar, full)
	return strings.Repeat(t.Full, full) + strings.Repeat(t.Empty, bar-full) + " TTL " + left.String()
}
