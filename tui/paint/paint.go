// Package paint turns the lines of panes into text for a terminal. Only it knows
// colours.
package paint

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/tui/render"
)

// A Painter paints lines for one terminal. All colours except those of clients come from
// the terminal's palette, so they suit light and dark backgrounds.
type Painter struct {
	roles   map[render.Role]lipgloss.Style // a role without a style is painted as it is
	clients []lipgloss.Style               // in the order of a run; as many as can be told apart
}

// New returns the painter of a terminal. The renderer decides whether there is colour.
func New(r *lipgloss.Renderer, b Background) Painter {
	if r.ColorProfile() == termenv.Ascii {
		return Painter{}
	}
	of := func(colour string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(colour)) }
	p := Painter{roles: map[render.Role]lipgloss.Style{
		render.Title:  r.NewStyle().Bold(true),
		render.Head:   of("6").Bold(true),
		render.Column: of("6").Bold(true).Underline(true),
		render.Strong: r.NewStyle().Bold(true),
		render.Faint:  r.NewStyle().Faint(true),
		render.Lit:    r.NewStyle().Reverse(true),
		render.Lesson: of("5"),
		render.Alarm:  of("1").Bold(true),
		render.Ask:    of("5").Bold(true),
		render.Good:   of("2"),
		render.Mark:   r.NewStyle().Reverse(true).Bold(true),
	}}
	if c, known := faintColours[b]; known {
		p.roles[render.Faint] = r.NewStyle().Foreground(c)
	}
	for _, c := range clientColours[b] {
		p.clients = append(p.clients, r.NewStyle().Bold(true).Foreground(c))
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

// A Background is the background of a terminal.
type Background string

// The backgrounds. On an unknown one, only the terminal's palette is sure to be
// readable.
const (
	OnUnknown Background = ""
	OnDark    Background = "dark"
	OnLight   Background = "light"
)

// The colours of clients by background, of 256 and of 16. Those of 256 have a contrast
// of at least 4.6 and differ most for people with colour blindness.
var clientColours = map[Background][]lipgloss.CompleteColor{
	OnDark:    {{TrueColor: "141", ANSI256: "141", ANSI: "12"}, {TrueColor: "208", ANSI256: "208", ANSI: "11"}, {TrueColor: "86", ANSI256: "86", ANSI: "14"}},
	OnLight:   {{TrueColor: "26", ANSI256: "26", ANSI: "4"}, {TrueColor: "94", ANSI256: "94", ANSI: "5"}, {TrueColor: "162", ANSI256: "162", ANSI: "6"}},
	OnUnknown: {{TrueColor: "4", ANSI256: "4", ANSI: "4"}, {TrueColor: "5", ANSI256: "5", ANSI: "5"}, {TrueColor: "6", ANSI256: "6", ANSI: "6"}},
}

// ClientColours returns the colours of clients as #rrggbb, for pages and pictures.
func ClientColours(b Background) (colours []string) {
	for _, c := range clientColours[b] {
		n, _ := strconv.Atoi(c.ANSI256)
		colours = append(colours, termenv.ConvertToRGB(termenv.ANSI256Color(n)).Hex())
	}
	return colours
}

// The colours of faint text by background, all readable. On an unknown background the
// terminal's own faint style is used; no colour of 16 is faint.
var faintColours = map[Background]lipgloss.CompleteColor{
	OnDark:  {TrueColor: "247", ANSI256: "247"},
	OnLight: {TrueColor: "241", ANSI256: "241"},
}
