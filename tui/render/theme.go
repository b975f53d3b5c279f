package render

import (
	"strconv"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Glyphs are the marks of a frame. Each takes one cell, also where a terminal
// draws characters of ambiguous width in two.
type Glyphs struct {
	Here   string // the current row, the lit line, the key that changed, the selected item; more to the right
	Left   string // more to the left
	Was    string // the line that was lit last
	Idle   string // a lane in which nothing happens
	Inside string // a lane whose client is in the critical section
	Acts   string // the client that does something
	Hit    string // the node that executes a command
	Wire   string // between the two
	Fault  string // something is made to go wrong
	Bad    string // a violation, or a belief that is wrong
	None   string // a step of a band at which there is nothing to say
	Open   string // a step at which an invariant is not decided
	Down   string // the step at the cursor, on the ruler
	Full   string // the part of a TTL that is left
	Empty  string // the part that has gone
	Rule   string // a horizontal line
	Bar    string // between two panes
	Parts  string // where two runs part
}

var unicodeGlyphs = Glyphs{
	Here: "▸", Left: "◂", Was: "▹", Idle: "╎", Inside: "▮", Acts: "◉", Hit: "◊", Wire: "╌", Fault: "!", Bad: "✗",
	None: ".", Open: "?", Down: "▾", Full: "▰", Empty: "▱", Rule: "╌", Bar: "╎", Parts: "≢",
}

var asciiGlyphs = Glyphs{
	Here: ">", Left: "<", Was: ":", Idle: "|", Inside: "#", Acts: "*", Hit: "o", Wire: "-", Fault: "!", Bad: "X",
	None: ".", Open: "?", Down: "v", Full: "=", Empty: ".", Rule: "-", Bar: "|", Parts: "%",
}

// cut stands for what did not fit.
const cut = ".."

// A Theme is how things look. Its colours are of the 16 of the terminal's own
// palette, so they suit a light and a dark background; but those of the clients,
// where the background is known.
type Theme struct {
	Glyphs
	Clicks bool           // what stands for a key is marked for a mouse
	Airy   bool           // passages have a blank line between them: read from afar
	bare   bool           // the terminal has no colours, and no style does anything
	Title  lipgloss.Style // what the screen is about
	Head   lipgloss.Style // a pane's heading, a label
	Strong lipgloss.Style // the current row, the selected item
	Plain  lipgloss.Style // all else
	Faint  lipgloss.Style // what is beside the point
	Lit    lipgloss.Style // the line of source that issued the command
	Lesson lipgloss.Style // the comment that marks a deliberate fault
	Alarm  lipgloss.Style // a violation
	Ask    lipgloss.Style // a question to the learner
	Good   lipgloss.Style // a proof
	Mark   lipgloss.Style // a cause's number
	// Clients are those of a run, in their order: a lane, a belief, what it owns.
	// There are as many as there are colours that are told apart; see Client.
	Clients []lipgloss.Style
}

// Client is how the client with that index looks; -1 is nobody.
func (t Theme) Client(i int) lipgloss.Style {
	if i < 0 || i >= len(t.Clients) {
		return t.Strong
	}
	return t.Clients[i]
}

// LitBy is what is lit because the client with that index did it.
func (t Theme) LitBy(i int) lipgloss.Style {
	if i < 0 || i >= len(t.Clients) {
		return t.Lit
	}
	return t.Clients[i].Reverse(true)
}

// A Background is what a terminal paints behind text.
type Background string

// The backgrounds. Of an unknown one only the terminal's own palette is sure to
// be readable.
const (
	OnUnknown Background = ""
	OnDark    Background = "dark"
	OnLight   Background = "light"
)

// The colours of clients by background: of 256 and of 16. Of the former each has
// a contrast of at least 4.6 to its backgrounds, and they differ most to those
// who see two colours of three.
var clientColours = map[Background][]lipgloss.CompleteColor{
	OnDark:    {{TrueColor: "141", ANSI256: "141", ANSI: "12"}, {TrueColor: "208", ANSI256: "208", ANSI: "11"}, {TrueColor: "86", ANSI256: "86", ANSI: "14"}},
	OnLight:   {{TrueColor: "26", ANSI256: "26", ANSI: "4"}, {TrueColor: "94", ANSI256: "94", ANSI: "5"}, {TrueColor: "162", ANSI256: "162", ANSI: "6"}},
	OnUnknown: {{TrueColor: "4", ANSI256: "4", ANSI: "4"}, {TrueColor: "5", ANSI256: "5", ANSI: "5"}, {TrueColor: "6", ANSI256: "6", ANSI: "6"}},
}

// ClientColours are those of the clients as #rrggbb, for what is no terminal.
func ClientColours(b Background) (colours []string) {
	for _, c := range clientColours[b] {
		n, _ := strconv.Atoi(c.ANSI256)
		colours = append(colours, termenv.ConvertToRGB(termenv.ANSI256Color(n)).Hex())
	}
	return colours
}

// The colours of what is beside the point, by background: as readable as any text.
// Of an unknown background the terminal knows best what is fainter, and of 16
// colours none is.
var faintColours = map[Background]lipgloss.CompleteColor{
	OnDark:  {TrueColor: "247", ANSI256: "247"},
	OnLight: {TrueColor: "241", ANSI256: "241"},
}

// On returns the theme for a background.
func (t Theme) On(b Background) Theme {
	if t.bare {
		return t
	}
	if c, known := faintColours[b]; known {
		t.Faint = t.Plain.Foreground(c)
	}
	t.Clients = nil
	for _, c := range clientColours[b] {
		t.Clients = append(t.Clients, t.Strong.Foreground(c))
	}
	return t
}

// NewTheme returns the theme for a terminal; its renderer decides whether
// there is colour at all.
func NewTheme(r *lipgloss.Renderer, onlyASCII bool) Theme {
	t := Theme{
		Glyphs: unicodeGlyphs,
		Title:  r.NewStyle().Bold(true),
		Head:   r.NewStyle().Foreground(lipgloss.Color("6")).Bold(true),
		Strong: r.NewStyle().Bold(true),
		Plain:  r.NewStyle(),
		Faint:  r.NewStyle().Faint(true),
		Lit:    r.NewStyle().Reverse(true),
		Lesson: r.NewStyle().Foreground(lipgloss.Color("5")),
		Alarm:  r.NewStyle().Foreground(lipgloss.Color("1")).Bold(true),
		Ask:    r.NewStyle().Foreground(lipgloss.Color("5")).Bold(true),
		Good:   r.NewStyle().Foreground(lipgloss.Color("2")),
		Mark:   r.NewStyle().Reverse(true).Bold(true),
	}
	if onlyASCII {
		t.Glyphs = asciiGlyphs
	}
	if r.ColorProfile() == termenv.Ascii {
		none := r.NewStyle()
		return Theme{
			Glyphs: t.Glyphs, bare: true, Title: none, Head: none, Strong: none, Plain: none, Faint: none, Lit: none, Lesson: none,
			Alarm: none, Ask: none, Good: none, Mark: none,
		}
	}
	return t.On(OnUnknown)
}
