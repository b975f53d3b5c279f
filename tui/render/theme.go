package render

import "lockstep/internal/prose"

// Glyphs are the marks of a frame. Each takes one cell, even on terminals that draw
// characters of ambiguous width in two.
type Glyphs struct {
	Here     string // the current row, the lit line, the key that changed, the selected item; more to the right
	Left     string // more to the left
	Was      string // the line that was lit last
	Idle     string // a lane in which nothing happens
	Inside   string // a lane whose client is in the critical section
	Acts     string // the client that does something
	Changes  string // a command comes to a node and changes a key
	Looks    string // it only reads
	Nothing  string // it is refused, or there is nothing to do
	Wire     string // between the two
	Falls    string // a command under way
	Rises    string // a reply under way
	Passes   string // time that passes
	Waits    string // it has been under way for long
	Fault    string // something is made to go wrong
	Dies     string // a client or a node goes down
	Late     string // a client gives up waiting
	Forgot   string // a node loses a key
	Over     string // a lease ends by its time
	Freed    string // its owner ends it
	Writes   string // a write
	Declined string // a write that the resource refuses
	Bad      string // a violation, or a belief that is wrong
	None     string // a step of a band at which there is nothing to say
	Open     string // a step at which an invariant is not decided
	Down     string // the step at the cursor, on the ruler
	Full     string // the part of a TTL that is left
	Empty    string // the part that has gone
	Rule     string // a horizontal line
	Bar      string // between two panes
	Parts    string // where two runs part
	Right    string // an answer that is right
	Wrong    string // one that is not
	Won      string // a level whose goal is reached
	Ghost    string // the rest of a lease that would have been long enough
}

var unicodeGlyphs = Glyphs{
	Here: "▸", Left: "◂", Was: "▹", Idle: "╎", Inside: "▮", Acts: "◉", Changes: "►", Looks: "▻", Nothing: "⊣", Wire: "╌", Falls: `\`, Rises: "/", Passes: ".", Waits: ":", Fault: "!", Bad: "✗",
	Dies: "✟", Late: "◷", Forgot: "∅", Over: "⏊", Freed: "▿", Writes: "◊", Declined: "⊘",
	None: ".", Open: "?", Down: "▾", Full: "▰", Empty: "▱", Rule: "╌", Bar: "╎", Parts: "≢", Right: "✓", Wrong: "≁", Won: "✦", Ghost: "⋮",
}

var asciiGlyphs = Glyphs{
	Here: ">", Left: "<", Was: ":", Idle: "|", Inside: "#", Acts: "*", Changes: ">", Looks: ")", Nothing: "]", Wire: "-", Falls: `\`, Rises: "/", Passes: ".", Waits: ":", Fault: "!", Bad: "X",
	Dies: "+", Late: "&", Forgot: "0", Over: "_", Freed: "v", Writes: "w", Declined: "@",
	None: ".", Open: "?", Down: "v", Full: "=", Empty: ".", Rule: "-", Bar: "|", Parts: "%", Right: "+", Wrong: "~", Won: "^", Ghost: ";",
}

// cut marks text that did not fit.
const cut = ".."

// A Theme is the glyphs and the words of a kind of screen. Its methods draw panes of it.
type Theme struct {
	Glyphs
	*prose.Book
	Airy bool // passages have a blank line between them: read from afar
	Flow bool // the face wraps lines and sets off headings: nothing is padded or ruled
}

// NewTheme returns the theme for Unicode, or for ASCII only.
func NewTheme(onlyASCII bool) Theme {
	if onlyASCII {
		return Theme{Glyphs: asciiGlyphs}
	}
	return Theme{Glyphs: unicodeGlyphs}
}
