package engine

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"

	"lockstep/tui/pages"
	"lockstep/tui/render"
)

// A Frame is what is to be seen and pressed: text, and the names of classes.
type Frame struct {
	Lang   string            `json:"lang"`
	Title  [2]string         `json:"title"`
	Status [2]string         `json:"status"`
	Notice string            `json:"notice,omitempty"`
	Says   string            `json:"says"` // for who does not see it
	Place  string            `json:"place"`
	Writes *string           `json:"writes,omitempty"`
	Lines  [][]Piece         `json:"lines"`
	Keys   []Key             `json:"keys"`
	Words  map[string]string `json:"words"` // of what is around the pages
	Large  bool              `json:"large,omitempty"`
	Blank  bool              `json:"blank,omitempty"`
}

// A Piece is a piece of a line that looks the same.
type Piece struct {
	Text  string `json:"t"`
	Class string `json:"c,omitempty"`
	Wide  int    `json:"w,omitempty"` // the cells that it takes, if a font may think otherwise
	Press string `json:"k,omitempty"` // the key that a click on it presses ...
	Times int    `json:"n,omitempty"` // ... so often
}

// A Key is a button.
type Key struct {
	Press string `json:"press"`
	Name  string `json:"name"`
	Does  string `json:"does"`
	Off   bool   `json:"off,omitempty"`
	Why   string `json:"why,omitempty"`
	Rank  int    `json:"rank,omitempty"`
}

// frame is what the pages show now.
func (e *engine) frame(s *pages.Shell) *Frame {
	f := s.Frame()
	out := &Frame{
		Lang: f.Language, Title: f.Title, Status: f.Status, Notice: f.Notice, Says: f.Says, Place: f.Place, Writes: f.Writes, Words: f.Words,
		Large: f.Large, Blank: f.Blank,
	}
	for _, line := range f.Lines {
		out.Lines = append(out.Lines, pieces(line))
	}
	for _, k := range f.Keys {
		out.Keys = append(out.Keys, Key(k))
	}
	return out
}

// pieces takes a line apart.
func pieces(line pages.FrameLine) []Piece {
	out := []Piece{}
	w := ansi.StringWidth(line.Text)
	if w == 0 {
		return out
	}
	cells := cellbuf.NewBuffer(w, 1)
	cellbuf.SetContent(cells, line.Text)
	var last Piece
	for x := 0; x < w; x++ {
		c := cells.Cell(x, 0)
		if c == nil || c.Width == 0 { // the second half of a wide one
			continue
		}
		now := Piece{Class: class(c.Style)}
		if z := zoneAt(line.Zones, x); z != nil {
			now.Press, now.Times = z.Key, z.Times
		}
		text := c.String()
		if last.Text == "" || last.Class != now.Class || last.Press != now.Press || last.Times != now.Times || (last.Wide > 0) != (text[0] >= 0x80) {
			if last.Text != "" {
				out = append(out, last)
			}
			last = now
		}
		last.Text += text
		if text[0] >= 0x80 {
			last.Wide += c.Width
		}
	}
	return append(out, last)
}

func zoneAt(zones []render.Zone, x int) *render.Zone {
	for i := range zones {
		if z := &zones[i]; x >= z.From && x < z.To {
			return z
		}
	}
	return nil
}

// class names how a cell looks; style.css has the rest.
func class(s cellbuf.Style) string {
	var names []string
	add := func(is bool, name string) {
		if is {
			names = append(names, name)
		}
	}
	add(s.Attrs.Contains(cellbuf.BoldAttr), "b")
	add(s.Attrs.Contains(cellbuf.FaintAttr), "d")
	add(s.Attrs.Contains(cellbuf.ReverseAttr), "r")
	switch c := s.Fg.(type) {
	case ansi.BasicColor:
		names = append(names, fmt.Sprintf("f%d", c))
	case ansi.IndexedColor:
		names = append(names, fmt.Sprintf("f%d", c))
	}
	return strings.Join(names, " ")
}
