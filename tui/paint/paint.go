// Package paint turns the lines of panes into text for a terminal. Only it knows
// colours.
package paint

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/tui/render"
)

// A Painter paints lines for one terminal, with the colours of palette.go.
type Painter struct {
	roles   map[render.Role]lipgloss.Style // a role without a style is painted as it is
	clients []lipgloss.Style               // in the order of a run; as many as can be told apart
}

// New returns the painter of a terminal. The renderer decides whether there is colour.
func New(r *lipgloss.Renderer, b Background) Painter {
	if r.ColorProfile() == termenv.Ascii {
		return Painter{}
	}
	of := func(ink Ink) lipgloss.Style { return b.style(r, ink) }
	p := Painter{roles: map[render.Role]lipgloss.Style{
		render.Title:  r.NewStyle().Bold(true),
		render.Head:   of(Link).Bold(true),
		render.Column: of(Link).Bold(true).Underline(true),
		render.Strong: r.NewStyle().Bold(true),
		render.Faint:  of(Faint),
		render.Lit:    r.NewStyle().Reverse(true),
		render.Lesson: of(Question),
		render.Alarm:  of(Harm).Bold(true),
		render.Ask:    of(Question).Bold(true),
		render.Good:   of(Good),
		render.Mark:   r.NewStyle().Reverse(true).Bold(true),
	}}
	if b == OnUnknown { // only the terminal knows what is faint there
		p.roles[render.Faint] = r.NewStyle().Faint(true)
	}
	for _, ink := range clientInks {
		p.clients = append(p.clients, of(ink).Bold(true))
	}
	return p
}

// Frame paints lines, without invisible blanks at their ends.
func (p Painter) Frame(lines []render.Line) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(p.line(line), " ")
	}
	return strings.Join(out, "\n")
}

func (p Painter) line(l render.Line) string {
	var b strings.Builder
	for _, s := range l {
		style, has := p.style(s)
		if has && s.Text != "" {
			s.Text = style.Render(s.Text)
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

func (p Painter) style(s render.Span) (lipgloss.Style, bool) {
	if s.Client > 0 && s.Client <= len(p.clients) {
		style := p.clients[s.Client-1]
		return style.Reverse(s.Role == render.Lit), true
	}
	style, has := p.roles[s.Role]
	return style, has
}
