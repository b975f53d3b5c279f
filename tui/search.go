package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A search finds locks and stories by their names, titles and captions.
type search struct {
	from  screen // the list on which it was asked for
	query string
	hits  []hit
	menu  menu
}

// A hit is a lock, or a story of one.
type hit struct {
	lock  strategies.Info
	story *scenarios.Story // nil: the lock itself
	says  string           // the passage that has most of the words
	far   int              // 0: the name has them all; 1: only the rest has
}

const maxQuery = 40 // bytes

// openSearch begins with everything there is.
func (m *model) openSearch() {
	m.search = search{from: m.screen}
	m.screen = searchScreen
	m.lookUp()
}

// lookUp finds what has all the words of the query. Names go before the rest,
// locks before stories.
func (m *model) lookUp() {
	s := &m.search
	words := strings.Fields(s.query)
	s.hits = nil
	add := func(h hit, name, of string, passages ...string) {
		all := strings.Join(append([]string{name, of}, passages...), "\n")
		switch {
		case hasAll(name, words):
		case hasAll(all, words):
			h.far = 1
		default:
			return
		}
		h.says = slices.MaxFunc(passages, func(a, b string) int { return cmp.Compare(hits(a, words), hits(b, words)) })
		s.hits = append(s.hits, h)
	}
	for _, info := range strategies.Catalogue {
		l := m.book.Lock(info.ID)
		add(hit{lock: info}, info.ID+" "+l.Name, "", l.Claims, l.Works)
	}
	for _, story := range m.stories {
		info, _ := strategies.Find(story.Strategy())
		var captions []string
		for _, step := range story.Steps {
			if text := m.caption(step); text != "" {
				captions = append(captions, text)
			}
		}
		of := info.ID + " " + m.book.Lock(info.ID).Name
		add(hit{lock: info, story: story}, story.Name+" "+story.Title(), of, append(captions, "")...)
	}
	slices.SortStableFunc(s.hits, func(a, b hit) int { return cmp.Compare(a.far, b.far) })
	s.menu = menu{0, len(s.hits)}
}

func hasAll(text string, words []string) bool {
	return hits(text, words) == len(words)
}

// hits counts the words that a text has.
func hits(text string, words []string) int {
	n := 0
	for _, w := range words {
		if contains(text, w) {
			n++
		}
	}
	return n
}

// typeSearch takes a key while somebody searches: each one that writes
// something goes into the query.
func (m *model) typeSearch(msg tea.KeyMsg) tea.Cmd {
	s := &m.search
	before := s.query
	//nolint:exhaustive // every other key is not for a search
	switch msg.Type {
	case tea.KeyCtrlC:
		return tea.Interrupt
	case tea.KeyEsc:
		if s.query == "" {
			m.screen = s.from
		}
		s.query = ""
	case tea.KeyEnter:
		return m.openHit()
	case tea.KeyUp:
		s.menu.move(-1)
	case tea.KeyDown:
		s.menu.move(1)
	case tea.KeyBackspace:
		if runes := []rune(s.query); len(runes) > 0 {
			s.query = string(runes[:len(runes)-1])
		}
	case tea.KeyRunes, tea.KeySpace:
		s.query += strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) || len(s.query) >= maxQuery {
				return -1
			}
			return r
		}, string(msg.Runes))
	}
	if s.query != before {
		m.lookUp()
	}
	return nil
}

// openHit opens what is chosen: the stories of a lock, or a story.
func (m *model) openHit() tea.Cmd {
	s := &m.search
	if s.menu.at >= len(s.hits) {
		return nil
	}
	h := s.hits[s.menu.at]
	m.openLock(h.lock)
	if h.story != nil {
		return m.openStory(h.story, 0)
	}
	return nil
}

// searchBody is the query and what has its words.
func (m *model) searchBody(w, h int) []string {
	s := &m.search
	items := make([]render.Item, len(s.hits))
	for i, hit := range s.hits {
		items[i] = render.Item{Title: hit.lock.ID + ": " + m.book.Lock(hit.lock.ID).Name, Note: m.book.Text("a_lock")}
		if hit.story != nil {
			items[i] = render.Item{Title: hit.story.Title(), Note: m.book.Fill("a_story", prose.TextFacts{What: hit.lock.ID})}
		}
	}
	about := []render.Part{{Label: m.theme.Glyphs.Bad, Text: m.book.Text("search_nothing")}}
	if s.menu.at < len(s.hits) {
		hit := s.hits[s.menu.at]
		label := "claims"
		if hit.story != nil {
			label = "caption"
		}
		about = []render.Part{{Label: m.book.Text(label), Text: hit.says}}
	}
	return m.choosing("/"+s.query+"_", items, s.menu.at, about, w, h)
}

func (m *model) searchStatus() string {
	s := &m.search
	return m.book.Fill("nth_hit", prose.TextFacts{N: min(s.menu.at+1, s.menu.n), Of: s.menu.n})
}

// searchHelp is the footer: letters are no keys here.
func (m *model) searchHelp() string {
	text := m.book.Text
	esc := text("does_clear")
	if m.search.query == "" {
		esc = text("does_leave")
	}
	up, down := m.keys.Up.Help(), m.keys.Down.Help()
	cursor, _, _ := strings.Cut(up.Key, "/")
	other, _, _ := strings.Cut(down.Key, "/")
	line := text("key_enter") + " " + text("does_open") + "  " + cursor + "/" + other + " " + text("does_choose") + "  esc " + esc
	return m.theme.Faint.Render(render.Trim(line, m.width))
}
