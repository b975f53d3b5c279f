package pages

import (
	"strings"

	"lockstep/tui/render"
)

const (
	helpWidth = 37 // of a column that cuts no key
	keyWidth  = 13 // cells of the longest keys
)

// A helpPage covers another page with its keys and the meaning of its signs.
type helpPage struct {
	covering
	below []key
}

func (p *helpPage) keys() []key {
	return append(p.textPage.keys(), tourKey.to(func() act { return instead(newTourPage(p.shared)) }))
}

// listed returns the keys by groups, with an empty line between them.
func (p *helpPage) listed() (out render.Lines) {
	for g := range unlisted {
		var lines render.Lines
		for _, k := range p.below {
			if k.group == g && !k.off {
				lines = append(lines, render.Line{render.Strong.Of(render.Fit(k.names(p.Book), keyWidth)), render.Normal.Of("  " + k.text(p.Book))})
			}
		}
		if len(lines) > 0 && len(out) > 0 {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

// lines puts what the signs of a run mean beside the keys, or below them.
func (p *helpPage) lines(int) render.Lines {
	keys := p.listed()
	signs := p.under.explains()
	if signs == nil {
		return keys
	}
	if _, run := p.under.(stepped); run && p.width/2 >= helpWidth {
		left := p.width / 2
		signs = p.shownFirst(signs)
		return keys.Block(left, len(keys)).Beside(signs.Block(p.width-left, len(keys)), "")
	}
	return append(append(keys, nil), signs...)
}

// shownFirst puts the signs that stand on the page below above an empty line, and the others
// under it.
func (p *helpPage) shownFirst(signs render.Lines) render.Lines {
	var page strings.Builder
	for _, line := range p.under.body(p.width, p.room()) {
		page.WriteString(line.Text())
	}
	var shown, others render.Lines
	for _, line := range signs {
		if strings.Contains(page.String(), strings.TrimSpace(line[0].Text)) {
			shown = append(shown, line)
		} else {
			others = append(others, line)
		}
	}
	return append(append(shown, nil), others...)
}

// sections leaves out what the signs of a run mean: a picture has a legend of its own.
func (p *helpPage) sections() []Section {
	out := []Section{{Kind: KeysSection, Lines: p.listed()}}
	if _, run := p.under.(stepped); !run {
		if signs := p.under.explains(); signs != nil {
			out = append(out, Section{Kind: AboutSection, Lines: signs})
		}
	}
	return out
}

// covering is a text over another page, whose title and status stay.
type covering struct {
	textPage
	under page
}

func (p *covering) covers() page { return p.under }

func (p *covering) title() (left, right string) { return p.under.title() }

func (p *covering) status() (left, right string) {
	if left, right = p.textPage.status(); left == "" {
		return p.under.status()
	}
	return left, right
}
