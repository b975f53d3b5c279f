package workshop

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/tui/pages"
)

// This file is what the pages get to see of the room.

// frameOf is the present frame: with its question for trainers. It is null before the first.
func frameOf(l *walk, trainer bool) shownFrame {
	v := l.last()
	if trainer {
		v.Frame = l.driver
	}
	return v
}

type pollView struct {
	ID       string   `json:"id"`
	Round    int      `json:"round"`
	Question string   `json:"question"`
	Options  []string `json:"options"`
	State    string   `json:"state"`
	Answered int      `json:"answered"`
	Mine     *int     `json:"mine"`
	Counts   []int    `json:"counts,omitempty"`
	Right    *int     `json:"right"`
	Why      string   `json:"why,omitempty"`
}

// pollOf is a poll for a participant, whose answer it has, or for nobody in particular.
// Only trainers see counts and the right answer before the end.
func pollOf(p *poll, lang string, who int, trainer bool) *pollView {
	if p == nil || !p.Own && p.Said[lang].Question == "" { // the frame in this language is still to come
		return &pollView{}
	}
	text := p.said(lang)
	v := &pollView{ID: p.ID, Round: p.Round, Question: text.Question, Options: text.Options, State: p.State, Answered: len(p.answers)}
	if choice, ok := p.answers[who]; ok {
		v.Mine = &choice
	}
	if trainer || p.State == isRevealed {
		v.Counts, v.Right, v.Why = p.counts(), p.Right, text.Why
	}
	return v
}

type contestView struct {
	*contest
	Title string  `json:"title"`
	Board []place `json:"board"`
}

func (s *Server) contestOf(lang string) *contestView {
	c := s.room.contest
	if c == nil {
		return nil
	}
	return &contestView{c, s.titleOf(c.Level, lang), s.room.board()}
}

// titleOf is what a level is called.
func (s *Server) titleOf(id, lang string) string {
	if level := s.levels[id]; level != nil {
		return level.About(prose.Load(lang), lang).Name
	}
	return id
}

type timerView struct {
	Ends string `json:"ends"`
	Left int    `json:"left"` // seconds
}

func (s *Server) timerOf() timerView {
	if s.room.ends.IsZero() {
		return timerView{}
	}
	return timerView{s.room.ends.UTC().Format(time.RFC3339), int(time.Until(s.room.ends).Seconds())}
}

type countView struct {
	Online   int  `json:"online"`
	Joined   int  `json:"joined"`
	Answered int  `json:"answered"`
	Begun    bool `json:"begun"` // a trainer has driven
}

func (s *Server) countOf() countView {
	v := countView{Online: s.room.present(), Joined: len(s.room.people), Begun: s.begun}
	if p := s.room.current; p != nil {
		v.Answered = len(p.answers)
	}
	return v
}

type roomView struct {
	Driver  string   `json:"driver"`
	You     bool     `json:"you"`
	Lost    []wrong  `json:"lost"`
	Missing []string `json:"missing"`
	Absent  int      `json:"absent"` // who can make room; 0 while there is room
}

func (s *Server) roomFor(sub *subscriber) roomView {
	v := roomView{s.room.driver, sub.trainer == s.room.driving, s.room.lost(sub.lang), s.room.missing(), 0}
	if len(s.room.people) >= maxPeople {
		v.Absent = len(s.room.absent(time.Now()))
	}
	return v
}

type slotView struct {
	Title   string `json:"title"`
	Place   string `json:"place"`
	Minutes int    `json:"minutes"` // 0 if the course does not say
	Extra   bool   `json:"extra"`
	Now     bool   `json:"now"`
}

// agendaOf are the chapters of the class.
func (s *Server) agendaOf(lang string) []slotView {
	list, now := []slotView{}, s.chapterAt(s.place)
	for i := range s.course.Chapters {
		c := &s.course.Chapters[i]
		list = append(list, slotView{s.chapterTitle(c, lang), pages.ChapterPlace(c.ID).String(), c.Minutes, c.Kind == course.Extra, c == now})
	}
	return list
}

func (s *Server) chapterTitle(c *course.Chapter, lang string) string {
	return cmp.Or(s.course.Text(lang, c.ID).Title, prose.Load(lang).Lock(c.Lock).Name, c.ID)
}

// chapterAt is the chapter that a place is in: by its name, or one of its stories; nil
// for none.
func (s *Server) chapterAt(place string) *course.Chapter {
	name := story(place)
	for i := range s.course.Chapters {
		c := &s.course.Chapters[i]
		if name == pages.ChapterPlace(c.ID).String() || slices.ContainsFunc(c.Plays(), func(own *scenarios.Story) bool { return own.Name == name }) {
			return c
		}
	}
	return nil
}

// A stateView is all that a page needs to draw itself.
type stateView struct {
	Epoch string `json:"epoch"`
	Join  string `json:"join"`
	shownFrame
	Poll    *pollView    `json:"poll"`
	Contest *contestView `json:"contest"`
	Timer   timerView    `json:"timer"`
	countView
	Agenda []slotView `json:"agenda"`
}

// stateFor is the first message of a stream.
func (s *Server) stateFor(sub *subscriber) message {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := stateView{
		Epoch: s.epoch, Join: s.Join, shownFrame: frameOf(s.walks[sub.lang], sub.trains()), Contest: s.contestOf(sub.lang),
		Timer: s.timerOf(), countView: s.countOf(), Agenda: s.agendaOf(sub.lang),
	}
	if s.room.current != nil {
		v.Poll = pollOf(s.room.current, sub.lang, sub.id, sub.trains())
	}
	sub.news = [kinds]bool{roomEvent: sub.trains()}
	if sub.trains() {
		sub.mark(roomEvent)
	}
	return s.message("state", v)
}

// languageOf is a language that there is, by the name that a page gives.
func (s *Server) languageOf(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "-")
	if _, ok := s.walks[name]; ok {
		return name
	}
	return s.first
}
