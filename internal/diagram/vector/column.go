package vector

import (
	_ "embed"

	"lockstep/internal/diagram"
	"lockstep/internal/palette"
	"lockstep/internal/prose"
)

// CSS is the style sheet of a page with a Column and the texts of its rows.
//
//go:embed steps.css
var CSS string

// A Column is a picture of lanes alone. A page writes the texts of the rows beside it.
type Column struct {
	Names  string `json:"names,omitempty"`  // the lanes' names, as an SVG as wide as the next
	Lanes  string `json:"lanes,omitempty"`  // the rows, as an SVG
	Width  int    `json:"width,omitempty"`  // of both, in pixels
	Height int    `json:"-"`                // of the lanes
	Ends   []int  `json:"-"`                // the lower end of each row; the first row begins at 0
	Legend []Sign `json:"legend,omitempty"` // of the shapes in it
}

// A Sign is a shape, as an SVG, and what it means.
type Sign struct{ Shape, Says string }

const (
	columnMargin = 10
	clientColumn = 44 // widths of lanes that leave room for texts on a phone
	nodeColumn   = 58
	namesHeight  = 34
	belowRows    = 16
)

// A Label is the words of a picture: its title and description, for a screen reader, and
// what it writes among the shapes.
type Label struct {
	Title, Says string
	Book        *prose.Book
}

// Alone paints the lanes of a diagram without the texts of its rows, from a row on, counted
// from 0, in the colours of the page's style sheet.
func Alone(d *diagram.Diagram, from int, label Label) Column {
	p := &Painter{Diagram: d, Book: label.Book, Left: columnMargin}
	p.In(func(i palette.Ink) string { return "var(--" + string(i) + ")" })
	p.Right = p.PlaceLanes(4, clientColumn, nodeColumn)
	width := int(p.Right) + 4
	p.Names(23)
	c := Column{Width: width, Names: drawn(width, namesHeight, Label{}, p.String())}
	p.Shapes.Reset() // a picture of its own
	p.Mid = make([]float64, len(d.Run.Rows))
	y := 0
	for i := range d.Run.Rows {
		if i < from || i >= d.Rows {
			p.Mid[i] = float64(y)
			continue
		}
		height := RowHeight
		if Quiet(&d.Run.Rows[i]) {
			height = QuietHeight
		}
		y += p.Gap(i, y, height)
		p.Mid[i] = float64(y) + float64(height)/2
		y += height
		p.Rows, c.Ends = append(p.Rows, i), append(c.Ends, y)
	}
	p.Bottom = float64(y) + 8
	c.Height = y + belowRows
	p.Paint()
	c.Lanes = drawn(width, c.Height, label, p.String())
	for _, s := range p.signs() {
		p.Ground.Reset()
		p.Shapes.Reset()
		p.Front.Reset()
		p.drawSign(s.of, signWidth/2, legendRow/2)
		c.Legend = append(c.Legend, Sign{drawn(signWidth, legendRow, Label{}, p.String()), p.Book.Text("picture_" + s.id)})
	}
	return c
}

func drawn(width, height int, label Label, body string) string {
	var out Canvas
	says := `aria-hidden="true"`
	if label.Title != "" {
		says = `role="img"`
	}
	out.Put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" %s>`, width, height, says)
	if label.Title != "" {
		out.Put("<title>%s</title><desc>%s</desc>", Escape(label.Title), Escape(label.Says))
	}
	return out.String() + "\n" + body + "</svg>"
}
