package pages

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A Frame is the content of View for a face that draws by itself, as data for HTML: the body
// in sections, and the keys instead of a footer.
type Frame struct {
	Lang     string            `json:"lang"`
	Title    [2]string         `json:"title"` // the left and the right end
	Status   [2]string         `json:"status"`
	Notice   string            `json:"notice,omitempty"` // in place of the status
	Says     string            `json:"says"`             // what has come to be, in words
	Place    string            `json:"place"`            // that of the page, for ParsePlace; "" is the list of locks
	Page     int               `json:"page"`             // differs from that of every other page that was on top
	Depth    int               `json:"depth"`            // how many pages are open
	Linked   bool              `json:"linked,omitempty"` // an address has opened the page
	Won      string            `json:"won,omitempty"`    // the token of the learner's own moves to the goal of the open level; "" before
	Writes   *string           `json:"writes,omitempty"` // what is written where letters are typed, or below a question, digits; nil where they are keys
	Sections []Section         `json:"parts"`
	Keys     []FrameKey        `json:"keys"`
	Words    map[string]string `json:"words"`           // of what a face has around the pages, by id
	Large    bool              `json:"large,omitempty"` // a face shows as large letters as it can, and little else
	Blank    bool              `json:"blank,omitempty"` // it shows nothing
}

// Section returns the first section of a kind; an empty one if there is none.
func (f *Frame) Section(kind Kind) (s Section) {
	for _, s := range f.Sections {
		if s.Kind == kind {
			return s
		}
	}
	return s
}

// A FrameKey is a button: a key by its effect, or the reason why it has none now.
type FrameKey struct {
	Press string `json:"press"` // the name to press it by
	Does  string `json:"does"`
	Off   bool   `json:"off,omitempty"`
	Why   string `json:"why,omitempty"`
	Rank  int    `json:"rank,omitempty"`  // the lowest are the most useful; 0 is one that a footer leaves out
	Leads bool   `json:"leads,omitempty"` // it leads on: one does, the first
	Ends  bool   `json:"ends,omitempty"`  // it closes the page
}

// Frame returns the current frame and keys.
func (s *Shell) Frame() *Frame {
	p := s.page()
	f := &Frame{
		Lang: s.lang, Notice: s.notice, Place: s.address(), Page: s.top.generation, Depth: len(s.stack), Linked: s.linked == s.top.generation,
		Keys: s.frameKeys(), Words: s.Texts("web_"),
	}
	if text := p.written(); text != nil {
		f.Writes = new(*text)
	}
	f.Title[0], f.Title[1] = p.title()
	f.Status[0], f.Status[1] = p.status()
	f.Sections, f.Blank = s.sections(), s.talk != nil && s.talk.blank
	if f.Large = s.isLarge(); f.Large {
		f.Status[0], f.Notice = s.talkText()
		f.Status[1], _ = s.timeText()
	}
	if p, ok := p.(*gamePage); ok && p.game.goal != nil && !p.game.gaveUp {
		f.Won = history.Token(p.game.config, p.game.goal.schedule())
	}
	f.Says = cmp.Or(s.notice, s.said(f))
	return f
}

// said returns in words what changed at the cursor: the page's own text, or the
// selected item.
func (s *Shell) said(f *Frame) string {
	if text := s.page().says(); text != "" {
		return text
	}
	var lines render.Lines
	for _, part := range f.Sections {
		lines = append(lines, part.Lines...)
	}
	for _, line := range lines {
		if item, ok := strings.CutPrefix(line.Text(), s.Glyphs.Here+" "); ok {
			return strings.Join(strings.Fields(item), " ")
		}
	}
	return s.List(f.Title[0], f.Status[0])
}

// frameKeys returns the keys of the page by rank, then the global ones.
func (s *Shell) frameKeys() (out []FrameKey) {
	keys := slices.Clone(s.keys())
	if s.waits(KeyNamed(landmarkKey.on[0])) != atOnce {
		keys = append(keys, landmarkKey) // it will, as soon as there is something
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		if (a.group == leaving) != (b.group == leaving) {
			return cmp.Compare(a.group, b.group)
		}
		return cmp.Compare(cmp.Or(a.rank, far), cmp.Or(b.rank, far)) // what a footer leaves out comes last
	})
	lead := lead(keys)
	for i, k := range keys {
		if same, _ := find(keys, k.on[0]); i != lead && (k.off && (k.why == "" || !same.off) || k.group == unlisted || k.whole || k.shown == digitKey.shown) {
			continue // it does nothing, another button or a piece of the page does the same, or it is to be typed
		}
		ends := backKey
		if s.talk != nil {
			ends = presentKey
		}
		one := FrameKey{Press: k.on[0], Does: k.text(s.Book), Off: k.off, Rank: k.rank, Leads: i == lead, Ends: k.is(ends.on[0]) && !k.off}
		if k.off {
			one.Why = s.whyNot(k)
		}
		out = append(out, one)
	}
	return out
}

// lead returns which of the keys leads on: the first that can, or one that says why it
// cannot. What leads nowhere is left.
func lead(keys []key) int {
	can := func(k key) bool { return k.leads && !k.off }
	says := func(k key) bool { return k.leads && k.why != "" }
	ends := func(k key) bool { return k.is(backKey.on[0]) && !k.off }
	for _, is := range []func(key) bool{can, says, ends} {
		if i := slices.IndexFunc(keys, is); i >= 0 {
			return i
		}
	}
	return -1
}

// says returns the caption of the current row and what happened in it.
func (p *storyPage) says() string {
	if p.run == nil {
		return ""
	}
	if p.talk != nil {
		return p.saysSlide()
	}
	c := p.captionAt(p.at)
	parts := []string{c.Text, p.happened(), c.Question, c.Choices, c.Answer, c.Hint}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// saysSlide returns the text of a slide, without answers that it does not show yet.
func (p *storyPage) saysSlide() string {
	var said []string
	if p.now().kind == stepSlide {
		said = append(said, p.here().Said().In(p.Language()))
	}
	for _, line := range p.slideText(p.width) {
		said = append(said, strings.Fields(line.Text())...)
	}
	return strings.Join(said, " ")
}

// says returns the last event and its consequences.
func (p *gamePage) says() string {
	if p.run == nil {
		return ""
	}
	left, _ := p.status()
	return p.happened() + " " + left
}

// happened returns the event at the cursor and its violations.
func (v *viewer) happened() string {
	row := v.here()
	out := row.Said().In(v.Language())
	for _, i := range row.Found {
		out += " " + scenarios.Violation(v.Book, v.run.Found[i].Violation)
	}
	return out
}
