package export

import (
	"net/url"
	"slices"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/phrase"
	"lockstep/internal/prose"
)

// passage writes a text after its label.
func passage(b *prose.Book, p Passage) phrase.HTML {
	label := "**" + inMarkdown(p.Label) + "**"
	if p.Blocks[0].Kind == course.Paragraph {
		return after(p.Blocks, b.Pair(label, ""))
	}
	return phrase.HTML(label+"\n\n") + after(p.Blocks, "")
}

// after writes blocks, the first one after other words.
func after(blocks []course.Block, words string) phrase.HTML {
	var out strings.Builder
	for i, b := range blocks {
		text := words
		for i, s := range b.Spans {
			text += spanIn(s, i == 0)
		}
		words = ""
		switch b.Kind {
		case course.Heading:
			text = "**" + text + "**" // the headings of the file are the chapters
		case course.Code:
			text = "```\n" + b.Spans[0].Text + "\n```"
		case course.Item:
			text = strings.Repeat("   ", b.Level) + b.Mark() + " " + text
			if next := i + 1; next < len(blocks) && blocks[next].Kind == course.Item && (blocks[next].Number == 0) == (b.Number == 0) {
				out.WriteString(text + "\n")
				continue
			}
		}
		out.WriteString(text + "\n\n")
	}
	return phrase.HTML(out.String())
}

// spanIn writes a span. first is whether it begins a line, where more characters have a
// meaning. Blanks at its ends stay outside of its marks.
func spanIn(s course.Span, first bool) string {
	words := strings.TrimSpace(s.Text)
	if words == "" {
		return s.Text
	}
	text := inMarkdown(words)
	if !first {
		text = strings.TrimPrefix(inMarkdown("x"+words), "x")
	}
	if s.Code {
		text = codeOf(words)
	}
	if s.Strong {
		text = "**" + text + "**"
	}
	if s.Link != "" && !strings.HasPrefix(s.Link, "#") {
		text = "[" + text + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20").Replace(s.Link) + ">)"
	}
	before, after, _ := strings.Cut(s.Text, words)
	return before + text + after
}

// A listing is blocks for a template: a list with its items, or one block.
type listing struct {
	List  string // ul or ol; "" for none
	Start int
	Items []course.Block
	course.Block
}

// listings groups the items of lists.
func listings(blocks []course.Block) (out []listing) {
	for _, b := range blocks {
		last := len(out) - 1
		switch {
		case b.Kind != course.Item:
			out = append(out, listing{Block: b})
		case last >= 0 && out[last].List != "" && (b.Number == 0) == (out[last].List == "ul"):
			out[last].Items = append(out[last].Items, b)
		case b.Number > 0:
			out = append(out, listing{List: "ol", Start: b.Number, Items: []course.Block{b}})
		default:
			out = append(out, listing{List: "ul", Items: []course.Block{b}})
		}
	}
	return out
}

// href is where a link leads on a page: to an address, or to a chapter. An address that a
// browser would run leads nowhere.
func href(link string) string {
	if id, chapter := strings.CutPrefix(link, "#"); chapter {
		return "#" + identifier(id)
	}
	at, err := url.Parse(link)
	if err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, at.Scheme) {
		return "#"
	}
	return at.String()
}
