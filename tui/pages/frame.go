package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// A Frame is what View draws, taken apart for a face that draws by itself: the body
// in as many lines as the size leaves for it, the keys instead of a footer.
type Frame struct {
	Language string
	Title    [2]string // the left and the right end
	Status   [2]string
	Notice   string        // in place of the status
	Says     string        // what has come to be, in words
	Place    string        // what Find leads back to; "" for none
	Writes   *string       // what is written where letters are typed; nil where they are keys
	Lines    []render.Line // of the body
	Keys     []FrameKey
	Words    map[string]string // of what a face has around the pages, by id
	Large    bool              // a face shows as large letters as it can, and little else
	Blank    bool              // it shows nothing
}

// A FrameKey is a key that does something now, or says why not.
type FrameKey struct {
	Press string // the name to press it by
	Name  string // in the learner's language
	Does  string
	Off   bool
	Why   string
	Rank  int // the lowest are the most useful; 0 is one that a footer leaves out
}

// Frame is what is to be seen and to be pressed now.
func (s *Shell) Frame() Frame {
	p := s.page()
	f := Frame{Language: s.lang, Notice: s.notice, Place: s.address(), Keys: s.frameKeys(), Words: s.faceWords()}
	f.Title[0], f.Title[1] = p.title()
	f.Status[0], f.Status[1] = p.status()
	if t, ok := p.(typist); ok {
		text := t.written()
		f.Writes = &text
	}
	f.Lines = s.faceBody(&f)
	f.Says = cmp.Or(s.notice, s.said(f))
	return f
}

// faceBody are the lines of the page. One that is large has its notes in them, and in
// the status where one is and the time.
func (s *Shell) faceBody(f *Frame) []render.Line {
	f.Blank = s.talk != nil && s.talk.blank
	if f.Large = s.isLarge(); !f.Large {
		return s.pageBody()
	}
	f.Status[0], f.Notice = s.talkText()
	f.Status[1], _ = s.timeText()
	lines := s.large()
	return lines[:len(lines)-1]
}

// said is what has come to be at the cursor, in words: what the page says of it, or
// the item that is selected.
func (s *Shell) said(f Frame) string {
	if p, ok := s.page().(speaker); ok {
		if text := p.says(); text != "" {
			return text
		}
	}
	for _, line := range f.Lines {
		if item, ok := strings.CutPrefix(line.Text(), s.theme.Here+" "); ok {
			return strings.Join(strings.Fields(item), " ")
		}
	}
	return s.book.List(f.Title[0], f.Status[0])
}

// frameKeys are the keys of the page by their rank, then those of everywhere. Of
// one whose names do different things each is a key.
func (s *Shell) frameKeys() (out []FrameKey) {
	keys := slices.Clone(s.keys())
	slices.SortStableFunc(keys, func(a, b key) int {
		if (a.group == leaving) != (b.group == leaving) {
			return cmp.Compare(a.group, b.group)
		}
		return cmp.Compare(a.rank, b.rank)
	})
	for _, k := range keys {
		if k.off && k.why == "" {
			continue
		}
		one := FrameKey{Press: k.on[0], Name: k.name(s.book), Does: k.text(s.book), Off: k.off, Rank: k.rank}
		if k.off {
			one.Why = s.book.Text(k.why)
		}
		if !k.whole || len(k.on) == 1 {
			out = append(out, one)
			continue
		}
		for _, name := range k.on {
			one.Press, one.Name = name, cmp.Or(s.book.Text("key_"+name), name)
			out = append(out, one)
		}
	}
	return out
}

// faceWords are what is written on what a browser has besides the pages.
func (s *Shell) faceWords() map[string]string {
	words := map[string]string{}
	for _, id := range []string{"keys", "more", "paste", "paste_hint", "play", "cancel", "save", "load", "screen"} {
		words[id] = s.book.Text("web_" + id)
	}
	return words
}

// address is how the place is found again: the name of a story and the step, or a
// token.
func (s *Shell) address() string {
	facts := s.place()
	switch {
	case facts.Of > 0: // the course
		return ""
	case facts.Story != "":
		return facts.Story + "@" + strconv.Itoa(facts.Step)
	}
	return facts.What
}

// says is what the story tells of the row at the cursor, and what happened in it.
func (p *storyPage) says() string {
	if p.run == nil || p.failed != nil {
		return ""
	}
	if p.talk != nil {
		return p.saysSlide()
	}
	c := p.captionAt(p.player.at)
	parts := []string{c.Text, p.happened(), c.Question, c.Choices, c.Answer, c.Hint}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// saysSlide is what a slide shows, and no answer that it does not show yet.
func (p *storyPage) saysSlide() string {
	var said []string
	if p.now().kind == stepSlide {
		said = append(said, p.here().Said().In(p.labels.In))
	}
	for _, line := range p.slideText(p.width) {
		said = append(said, strings.Fields(line.Text())...)
	}
	return strings.Join(said, " ")
}

// says is what happened last, and what that leads to.
func (p *gamePage) says() string {
	if p.run == nil || p.failed != nil {
		return ""
	}
	left, _ := p.status()
	return p.happened() + " " + left
}

// happened is what happened at the cursor, and what that violates.
func (v *viewer) happened() string {
	row := v.here()
	out := row.Said().In(v.labels.In)
	for _, i := range row.Found {
		out += " " + scenarios.Violation(v.book, v.run.Found[i].Violation)
	}
	return out
}

// says is what the part of the chapter says.
func (p *chapterPage) says() string {
	if inner, ok := p.page.(speaker); ok {
		return inner.says()
	}
	return ""
}
