// Package paint turns the lines of panes into text for a terminal, with the colours of
// the palette.
package paint

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/tui/render"
)

// A Painter paints lines for one terminal, in the colours of the palette.
type Painter struct {
	roles   map[render.Role]lipgloss.Style // a role without a style is painted as it is
	clients []lipgloss.Style               // in the order of a run; as many as can be told apart
}

// New returns the painter of a terminal. The renderer decides whether there is colour.
func New(r *lipgloss.Renderer, b palette.Background) Painter {
	if r.ColorProfile() == termenv.Ascii {
		return Painter{}
	}
	of := func(ink palette.Ink) lipgloss.Style { return style(r, b.Of(ink)) }
	p := Painter{roles: map[render.Role]lipgloss.Style{
		render.Title:  r.NewStyle().Bold(true),
		render.Head:   of(palette.Link).Bold(true),
		render.Column: of(palette.Link).Bold(true).Underline(true),
		render.Pane:   r.NewStyle().Bold(true).Underline(true),
		render.Strong: r.NewStyle().Bold(true),
		render.Faint:  of(palette.Faint),
		render.Lit:    r.NewStyle().Reverse(true),
		render.Lesson: of(palette.Question),
		render.Alarm:  of(palette.Harm).Bold(true),
		render.Ask:    of(palette.Question).Bold(true),
		render.Good:   of(palette.Good),
		render.Number: of(palette.Faint),
		render.Mark:   r.NewStyle().Reverse(true).Bold(true),
	}}
	if b == palette.OnUnknown { // only the terminal knows what is faint there
		p.roles[render.Faint] = r.NewStyle().Faint(true)
		p.roles[render.Number] = p.roles[render.Faint]
	}
	p.roles[render.Bar] = p.roles[render.Faint]
	p.roles[render.Rule], p.roles[render.LitRule] = of(palette.Faint).Underline(true), of(palette.Link).Underline(true)
	for n := 1; palette.Client(n) != palette.Text; n++ {
		p.clients = append(p.clients, of(palette.Client(n)).Bold(true))
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
			s.Text = style.Render(solid(s))
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// solid returns the text of a span. Where lines can be underlined, that is the rule of a
// heading, in place of the glyphs that draw it elsewhere, and a blank is enough between
// two panes.
func solid(s render.Span) string {
	switch s.Role {
	case render.Rule, render.LitRule:
		return ruled.Replace(s.Text)
	case render.Bar:
		return strings.Repeat(" ", render.Width(s.Text))
	}
	return s.Text
}

// ruled takes the glyphs of a rule out of a text.
var ruled = strings.NewReplacer(render.NewTheme(false).Rule, " ", render.NewTheme(true).Rule, " ")

func (p Painter) style(s render.Span) (lipgloss.Style, bool) {
	if s.Client > 0 && s.Client <= len(p.clients) {
		style := p.clients[s.Client-1]
		return style.Reverse(s.Role == render.Lit), true
	}
	style, has := p.roles[s.Role]
	return style, has
}

// style returns a foreground; the terminal's own for no colour.
func style(r *lipgloss.Renderer, c palette.Colour) lipgloss.Style {
	if c.Hex == "" {
		return r.NewStyle()
	}
	return r.NewStyle().Foreground(lipgloss.CompleteColor{TrueColor: c.Hex, ANSI256: c.ANSI256, ANSI: c.ANSI})
}
