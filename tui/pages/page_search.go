package pages

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A searchPage finds locks and stories by their names, titles and captions.
type searchPage struct {
	*shared
	query string
	in    string // the language in which it was looked for
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

// newSearchPage returns a search that lists everything.
func newSearchPage(s *shared) *searchPage {
	p := &searchPage{shared: s}
	p.lookUp()
	return p
}

func (p *searchPage) settle() act {
	if p.in != p.lang {
		p.lookUp()
	}
	return nil
}

func (p *searchPage) address() (Place, bool) { return Place{Kind: searchPlace, Name: p.query}, true }

func (p *searchPage) title() (left, right string) { return p.book.Text("search"), "" }

func (p *searchPage) status() (left, right string) {
	return p.book.Fill("nth_hit", prose.TextFacts{N: min(p.menu.at+1, p.menu.n), Of: p.menu.n}), ""
}

// keys is only for the help: every key with a text goes into the query.
func (p *searchPage) keys() []key {
	esc := newKey(choosing, 3, "clear", "esc")
	if p.query == "" {
		esc = esc.says(backKey.does)
	}
	choose := newKey(choosing, 2, "choose", "up/down")
	choose.whole = true
	return []key{newKey(choosing, 1, "open", "enter"), choose, esc}
}

// typed handles a key for the query or the results.
func (p *searchPage) typed(msg Key) act {
	before := p.query
	switch msg.Name {
	case "esc":
		if p.query == "" {
			return back
		}
		p.query = ""
	case "enter":
		return p.open()
	case "up":
		p.menu.move(-1)
	case "down":
		p.menu.move(1)
	case "backspace":
		if runes := []rune(p.query); len(runes) > 0 {
			p.query = string(runes[:len(runes)-1])
		}
	default:
		p.query += strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) || len(p.query) >= maxQuery {
				return -1
			}
			return r
		}, msg.Text)
	}
	if p.query != before {
		p.lookUp()
	}
	return nil
}

func (p *searchPage) written() string { return p.query }

// open opens the chosen lock or story. esc leads from there to its place without the
// search.
func (p *searchPage) open() act {
	if p.menu.at >= len(p.hits) {
		return nil
	}
	h := p.hits[p.menu.at]
	return restack(p.pathTo(h.lock.ID, h.story, 0))
}

// body draws the query and its results.
func (p *searchPage) body(w, h int) []render.Line {
	items := make([]render.Item, len(p.hits))
	for i, hit := range p.hits {
		items[i] = render.Item{Title: p.book.Pair(hit.lock.ID, p.lockName(hit.lock.ID)), Note: p.book.Text("a_lock")}
		if hit.story != nil {
			items[i] = render.Item{Title: hit.story.Title(p.book), Note: p.book.Fill("a_story", prose.TextFacts{What: hit.lock.ID})}
		}
	}
	about := []lesson.Part{{Label: p.theme.Glyphs.Bad, Text: p.book.Text("search_nothing")}}
	if p.menu.at < len(p.hits) {
		hit := p.hits[p.menu.at]
		label := "claims"
		if hit.story != nil {
			label = "caption"
		}
		about = []lesson.Part{{Label: p.book.Text(label), Text: hit.says}}
	}
	return p.choosing("/"+p.query+"_", items, p.menu.at, about, w, h)
}

// lookUp finds everything that has all words of the query: names first, then the rest;
// locks before stories.
func (p *searchPage) lookUp() {
	words := strings.Fields(p.query)
	p.hits, p.in = nil, p.lang
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
		p.hits = append(p.hits, h)
	}
	for _, info := range strategies.Catalogue() {
		l := p.book.Lock(info.ID)
		add(hit{lock: info}, info.ID+" "+l.Name, "", l.Claims, l.Works)
	}
	for _, story := range p.stories {
		info, _ := strategies.Find(story.Strategy())
		var captions []string
		for _, step := range story.Steps {
			if text := p.caption(step); text != "" {
				captions = append(captions, text)
			}
		}
		of := info.ID + " " + p.book.Lock(info.ID).Name
		add(hit{lock: info, story: story}, story.Name+" "+story.Title(p.book), of, append(captions, "")...)
	}
	slices.SortStableFunc(p.hits, func(a, b hit) int { return cmp.Compare(a.far, b.far) })
	p.menu = menu{0, len(p.hits)}
}

func hasAll(text string, words []string) bool {
	return hits(text, words) == len(words)
}

// hits counts the words that occur in a text.
func hits(text string, words []string) int {
	n := 0
	for _, w := range words {
		if contains(text, w) {
			n++
		}
	}
	return n
}
