package course

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"lockstep/internal/lang"
)

// A Block is a part of a text: what stands on lines of its own. Texts are CommonMark,
// of which the terminal and all exports draw the blocks and spans here; Check names anything else.
type Block struct {
	Kind   BlockKind
	Level  int    // of a heading from 1, of an item of a list how deep it stands, from 0
	Number int    // of an item of a numbered list; 0 in another list
	Spans  []Span // of a code block the one span is its lines
}

// A BlockKind is what a block is.
type BlockKind int

// The kinds of blocks.
const (
	Paragraph BlockKind = iota
	Heading
	Item
	Code
)

// A Span is words of a block. Link is an address, or # and the id of a chapter.
type Span struct {
	Text         string
	Strong, Code bool
	Link         string
}

// Markup parses a text.
func Markup(source string) []Block {
	return parse(source).out
}

// A parser keeps nothing of what it has parsed.
var commonMark = sync.OnceValue(goldmark.DefaultParser)

func parse(source string) markup {
	m := markup{source: []byte(source)}
	m.blocks(commonMark().Parse(text.NewReader(m.source)), 0)
	return m
}

// A markup collects the blocks of a text.
type markup struct {
	source []byte
	out    []Block
	other  []lang.Message // what is not drawn anywhere
}

func (m *markup) blocks(parent ast.Node, depth int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			m.add(Block{Kind: Heading, Level: n.Level}, n)
		case *ast.List:
			m.items(n, depth)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			m.put(Block{Kind: Code, Spans: []Span{{Text: strings.TrimRight(string(n.Lines().Value(m.source)), "\n"), Code: true}}})
		case *ast.Paragraph, *ast.TextBlock:
			m.add(Block{}, n)
		default: // is drawn as its text
			m.other = append(m.other, kindOf(n))
			if n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
				m.blocks(n, depth)
			} else {
				m.put(Block{Spans: []Span{{Text: strings.TrimSpace(string(n.Lines().Value(m.source)))}}})
			}
		}
	}
}

func (m *markup) items(list *ast.List, depth int) {
	number := 0
	if list.IsOrdered() {
		number = list.Start
	}
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		first := len(m.out)
		m.blocks(n, depth+1)
		if first < len(m.out) && m.out[first].Kind == Paragraph {
			m.out[first].Kind, m.out[first].Level, m.out[first].Number = Item, depth, number
		}
		if number > 0 {
			number++
		}
	}
}

func (m *markup) add(b Block, n ast.Node) {
	m.spans(&b, n, Span{})
	m.put(b)
}

// put adds a block, unless it is blank: CommonMark knows fewer blanks than there are.
func (m *markup) put(b Block) {
	if slices.ContainsFunc(b.Spans, func(s Span) bool { return strings.TrimSpace(s.Text) != "" }) {
		m.out = append(m.out, b)
	}
}

// spans adds the words of a node in a style.
func (m *markup) spans(b *Block, parent ast.Node, style Span) {
	say := func(text string, style Span) {
		if text == "" {
			return
		}
		if last := len(b.Spans) - 1; last >= 0 {
			if style.Text = b.Spans[last].Text; style == b.Spans[last] {
				b.Spans[last].Text += text
				return
			}
		}
		style.Text = text
		b.Spans = append(b.Spans, style)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		inner := style
		switch n := n.(type) {
		case *ast.Text:
			words := string(util.UnescapePunctuations(n.Value(m.source))) // the parser leaves backslashes
			say(words, style)
			if n.SoftLineBreak() && n.NextSibling() != nil {
				if next, ok := n.NextSibling().(*ast.Text); !ok || blanks(words, string(next.Value(m.source))) {
					say(" ", style)
				}
			}
			if n.HardLineBreak() {
				say(" ", style)
			}
		case *ast.String:
			say(string(n.Value), style)
		case *ast.CodeSpan:
			inner.Code = true
			m.spans(b, n, inner)
		case *ast.Emphasis:
			inner.Strong = inner.Strong || n.Level > 1
			m.spans(b, n, inner)
		case *ast.Link:
			inner.Link = string(n.Destination)
			m.spans(b, n, inner)
		case *ast.AutoLink:
			inner.Link = string(n.URL(m.source))
			say(inner.Link, inner)
		case *ast.RawHTML:
			m.other = append(m.other, kindOf(n))
			say(string(n.Segments.Value(m.source)), style)
		default:
			m.other = append(m.other, kindOf(n))
			m.spans(b, n, style)
		}
	}
}

// kindOf names a node that is not drawn anywhere.
func kindOf(n ast.Node) lang.Message {
	switch n.Kind() {
	case ast.KindBlockquote:
		return lang.New("a quotation")
	case ast.KindThematicBreak:
		return lang.New("a line across")
	case ast.KindImage:
		return lang.New("an image")
	case ast.KindHTMLBlock, ast.KindRawHTML:
		return lang.New("HTML")
	}
	return lang.Quote(n.Kind().String())
}

// mistakes lists links of a text that lead nowhere, and what of it is not drawn, each once.
func (c *Course) mistakes(source string) (wrong []error) {
	m := parse(source)
	seen := map[string]bool{}
	found := func(err error) {
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			wrong = append(wrong, err)
		}
	}
	for _, b := range m.out {
		for _, s := range b.Spans {
			found(c.broken(s.Link))
		}
	}
	for _, what := range m.other {
		found(lang.Errorf("%v is not drawn; use paragraphs, lists, headings, bold, code and links", what))
	}
	return wrong
}

// broken says what is wrong with the target of a link; "" is none.
func (c *Course) broken(link string) error {
	id, chapter := strings.CutPrefix(link, "#")
	at, err := url.Parse(link)
	switch {
	case link == "":
		return nil
	case len(link) > maxLink:
		return lang.Errorf("the link %q has %d bytes; at most %d fit", link, len(link), maxLink)
	case chapter && !slices.Contains(c.chapterIDs(), id):
		return lang.Errorf("the link %q leads to no chapter; %s", link, lang.Fit(id, c.chapterIDs()))
	case !chapter && (err != nil || !strings.HasPrefix(at.Scheme, "http") || !strings.Contains(at.Host, ".")):
		return lang.Errorf("the link %q leads nowhere; use a URL, or # and the id of a chapter", link)
	}
	return nil
}

func (c *Course) chapterIDs() (ids []string) {
	for _, ch := range c.Chapters {
		ids = append(ids, ch.ID)
	}
	return ids
}

// plainText writes a text for a screen without styles: a blank line separates paragraphs,
// an item of a list has its mark, and a link its target.
func (c *Course) plainText(source string) string {
	var out strings.Builder
	before := BlockKind(-1)
	for _, b := range Markup(source) {
		switch {
		case before < 0:
		case before == Item && b.Kind == Item:
			out.WriteString("\n")
		default:
			out.WriteString("\n\n")
		}
		before = b.Kind
		if b.Kind == Item {
			out.WriteString(strings.Repeat("  ", b.Level) + b.Mark() + " ")
		}
		for _, s := range b.Spans {
			out.WriteString(c.plainSpan(s, b.Kind))
		}
	}
	return out.String()
}

func (c *Course) plainSpan(s Span, in BlockKind) string {
	id, chapter := strings.CutPrefix(s.Link, "#")
	switch {
	case s.Code && in != Code:
		return "`" + s.Text + "`"
	case chapter:
		return fmt.Sprintf("%s (%d)", s.Text, slices.Index(c.chapterIDs(), id)+1)
	case s.Link != "" && s.Link != s.Text:
		return s.Text + " (" + s.Link + ")"
	}
	return s.Text
}

// Mark is what stands before an item: a dash, or its number.
func (b Block) Mark() string {
	if b.Number == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.", b.Number)
}

// Said is Text without markup, for a screen without styles.
func (c *Course) Said(lang, chapter string) Text { return c.unmarked(lang).Chapter[chapter] }

// Described is About without markup.
func (c *Course) Described(lang string) string { return c.unmarked(lang).About }

// unmarked returns the texts of a language without markup.
func (c *Course) unmarked(lang string) *Texts {
	t := c.in(lang)
	if t.plain == nil {
		return t
	}
	return t.plain()
}

// strip returns texts without markup.
func (c *Course) strip(t *Texts) *Texts {
	out := *t
	out.About, out.Chapter = c.plainText(t.About), map[string]Text{}
	for id, text := range t.Chapter {
		for _, s := range []*string{&text.About, &text.Question, &text.Answer, &text.Breaks, &text.Fix, &text.After, &text.Remember, &text.Notes} {
			*s = c.plainText(*s)
		}
		out.Chapter[id] = text
	}
	return &out
}

// blanks reports whether two joined lines need a blank between them. Chinese on
// both sides, and full-width punctuation, need none.
func blanks(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return !(isWide(last) && isWide(first)) && !isWidePunct(last) && !isWidePunct(first)
}

func isWide(r rune) bool { return unicode.Is(unicode.Han, r) || isWidePunct(r) }

func isWidePunct(r rune) bool { return r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef }
