package workshop

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"lockstep/internal/prose"
	"lockstep/internal/web/engine"
	"lockstep/tui/pages"
)

// This file runs the walkthrough of the class: the same requests to one engine for each
// language, whose frames everybody gets.

// A walk is the walkthrough in a language.
type walk struct {
	lang string
	in   chan engine.Request

	// Guarded by the server's mutex. at numbers the frames from 1; frames are the last ones.
	at     int
	frames []shownFrame
	asking *pages.Section // the question that the present frame asks; nil for none
	driver []byte         // the present frame with its question, as JSON
}

// A shownFrame is a frame as it is sent.
type shownFrame struct {
	At    int             `json:"at"`
	Frame json.RawMessage `json:"frame"`
}

// mostFrames bounds how far participants can look back.
const mostFrames = 500

// last is the present frame; nothing before the first one.
func (l *walk) last() (f shownFrame) {
	if n := len(l.frames); n > 0 {
		f = l.frames[n-1]
	}
	return f
}

// follow runs the engines until ctx ends.
func (s *Server) follow(ctx context.Context, place string, course []byte) *sync.WaitGroup {
	all := &sync.WaitGroup{}
	for _, lang := range prose.Languages() {
		s.walks[lang] = &walk{lang: lang, in: make(chan engine.Request, 64)}
	}
	for lang, l := range s.walks {
		all.Go(func() {
			start := engine.Start{Lang: lang, Place: place, Still: true, Course: course}
			if err := engine.Run(ctx, start, l.in, func(a engine.Answer) { s.answered(l, a) }); err != nil && ctx.Err() == nil {
				s.Tell(err)
			}
		})
	}
	return all
}

// answered takes what an engine wants.
func (s *Server) answered(l *walk, a engine.Answer) {
	switch {
	case a.Frame != nil:
		s.shown(l, a.Frame)
	case a.Job != nil: // a whole class would wait for it
		found := engine.Finding{ID: a.Job.ID, End: true, Error: "a workshop explores nothing; see it in the terminal, or on the site"}
		select {
		case l.in <- engine.Request{Found: &found}:
		default: // never: press leaves room
		}
	}
}

// shown sends a frame to everybody who reads its language, and asks what it asks. A
// participant's copy has no question, since the poll has the answers, and nothing that is told to
// the one who drives.
func (s *Server) shown(l *walk, f *pages.Frame) {
	whole, _ := json.Marshal(f) // a frame is nothing but texts and numbers
	var asking *pages.Section
	open := *f
	open.Sections, open.Notice = nil, ""
	for i := range f.Sections {
		if f.Sections[i].Kind == pages.AskSection {
			asking = &f.Sections[i]
		} else {
			open.Sections = append(open.Sections, f.Sections[i])
		}
	}
	copied, _ := json.Marshal(&open)
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.Equal(whole, l.driver) {
		return
	}
	l.driver, l.asking = whole, asking
	if before := l.last(); !bytes.Equal(copied, before.Frame) {
		l.at++
		l.frames = append(l.frames, shownFrame{l.at, copied})
		if len(l.frames) > mostFrames {
			l.frames = slices.Clone(l.frames[1:])
		}
	}
	s.news(frameEvent, l.lang)
	if asking != nil {
		s.asks(l.lang, f.Place, asking)
	} else if l.lang == s.first {
		s.goesOn(f.Place)
	}
	if l.lang == s.first && s.begun && f.Place != "" {
		s.place = f.Place
	}
}

// asks opens the poll of a story's question, or shows it again. Only the walk that also
// closes it does: others can be ahead of it, and give their words.
func (s *Server) asks(lang, at string, part *pages.Section) {
	right, said := part.Asked.Right, map[string]pollText{}
	for _, l := range s.walks {
		if l.asking != nil && l.asking.Asked.ID == part.Asked.ID {
			said[l.lang] = textOf(l.asking)
		}
	}
	if lang == s.first {
		s.room.ask(&poll{ID: part.Asked.ID, Place: at, Said: said, Right: &right})
		s.room.current.left = false
	} else if p := s.room.find(part.Asked.ID); p != nil {
		maps.Copy(p.Said, said)
	}
	s.pollChanged()
}

// textOf is the text of a question.
func textOf(part *pages.Section) pollText {
	text := pollText{Why: part.Asked.Why}
	for i, line := range part.Lines {
		said := line.Text()
		switch {
		case i == 0:
			text.Question = said
		case i < len(part.Lines)-1: // the last is "I do not know"
			text.Options = append(text.Options, said)
		}
	}
	return text
}

// goesOn closes a poll when the trainer leaves its question behind, since the frame may
// show its answer; in another story it is not shown any more. A poll that is opened again
// after that stays open.
func (s *Server) goesOn(at string) {
	p := s.room.current
	if p == nil || p.Own || at == "" { // a story that still runs has no place
		return
	}
	switch {
	case story(p.Place) != story(at):
		s.room.current = nil
		s.pollChanged()
	case !p.left && p.State == isOpen:
		p.State = isClosed
		s.pollChanged()
	}
	p.left = true
}

// story is the place of the story, or of the chapter, that a place is in.
func story(place string) string {
	at := pages.ParsePlace(place)
	return pages.Place{Kind: at.Kind, Name: at.Name}.String()
}

// press sends a request to all engines. It reports whether they had room for it.
func (s *Server) press(r engine.Request) bool {
	for _, l := range s.walks {
		if len(l.in) > cap(l.in)/2 {
			return false
		}
	}
	for _, l := range s.walks {
		l.in <- r
	}
	return true
}
