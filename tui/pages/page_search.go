package pages

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A searchPage finds locks, stories, chapters, levels and terms by their names and by what
// is said of them.
type searchPage struct {
	*shared
	query string
	in    string // the language in which it was looked for
	hits  []hit
	menu
}

// A hit is a place that was found.
type hit struct {
	Place
	title, note string
	says        string // the passage that has most of the words
	has, score  int    // how many words it has; what has them in its name, or together, comes first
}

func (s *shared) toSearch() key {
	return keyOf("search").to(func() act { return push(newSearchPage(s)) })
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

func (p *searchPage) title() (left, right string) { return p.Text("search"), "" }

func (p *searchPage) status() (left, right string) {
	return p.menu.nth(p.shared, "nth_hit"), ""
}

// keys is only for the help: every key with a text goes into the query.
func (p *searchPage) keys() []key {
	esc := keyOf("clear")
	if p.query == "" {
		esc = esc.says(backKey.does)
	}
	return []key{keyOf("hit"), keyOf("choose"), esc}
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
		p.move(-1)
	case "down":
		p.move(1)
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

func (p *searchPage) written() *string { return &p.query }

// open opens what was chosen. esc leads from there to its place without the search.
func (p *searchPage) open() act {
	if p.at >= len(p.hits) {
		return nil
	}
	return func(s *Shell) Cmd { return s.do(restack(s.pagesOf(p.hits[p.at].Place))) }
}

// body draws the query and its results.
func (p *searchPage) body(w, h int) render.Lines {
	items := make([]render.Item, len(p.hits))
	for i, hit := range p.hits {
		items[i] = render.Item{Title: hit.title, Note: hit.note}
	}
	about := passages{{Label: p.Glyphs.Bad, Text: p.Text("search_nothing")}}
	if p.at < len(p.hits) {
		about = passages{p.passage("search_said", p.hits[p.at].says)}
	}
	return p.choosing("/"+p.query+"_", items, p.at, about, w, h)
}

// lookUp finds what has most of the words of the query: names first, then the rest. Where
// nothing has any, it finds names that are like the query.
func (p *searchPage) lookUp() {
	var words []string
	ignored := strings.FieldsFunc(p.Text("search_ignores"), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range strings.Fields(strings.ToLower(p.query)) {
		if !slices.Contains(ignored, word) {
			words = append(words, stem(word))
		}
	}
	if words == nil {
		words = strings.Fields(p.query)
	}
	all, most, names := p.everything(), 0, []string(nil)
	for i := range all {
		h := &all[i]
		name := h.Name + " " + h.title
		h.has = hits(name+"\n"+h.says, words)
		most = max(most, h.has)
		h.says = slices.MaxFunc(strings.Split(h.says, "\n"), func(a, b string) int { return cmp.Compare(hits(a, words), hits(b, words)) })
		if h.score = hits(h.says, words); hits(name, words) == len(words) {
			h.score = far
		}
		names = append(names, h.Name)
	}
	near := lang.Nearest(p.query, names)
	p.hits, p.in = slices.DeleteFunc(all, func(h hit) bool {
		if len(words) > 0 && most == 0 {
			return !slices.Contains(near, h.Name)
		}
		return h.has < most
	}), p.lang
	slices.SortStableFunc(p.hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	p.menu = menu{0, len(p.hits)}
}

// stem returns a word of English without its ending, so that it is found with others.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if begin, ok := strings.CutSuffix(word, ending); ok && len(begin) >= 4 {
			return begin
		}
	}
	return word
}

// everything returns all that can be found, locks first, each with all that is said of it,
// a passage on each line.
func (p *searchPage) everything() (all []hit) {
	add := func(at Place, title, note string, passages ...string) {
		all = append(all, hit{Place: at, title: title, note: note, says: strings.Join(passages, "\n")})
	}
	for _, info := range strategies.Catalogue() {
		l := p.Lock(info.ID)
		add(Place{Kind: "lock", Name: info.ID}, p.Pair(info.ID, l.Name), p.Text("a_lock"), l.Claims, l.Works, l.Breaks, l.Costs, l.Fix, l.Seen)
	}
	for _, story := range p.stories {
		passages, violated := []string(nil), story.Violated(true)
		for _, step := range story.Steps {
			passages = append(passages, p.caption(step))
		}
		for _, id := range history.Invariants() {
			if slices.Contains(violated, id) {
				passages = append(passages, p.Pair(p.InvariantName(id), p.Invariant(id).Says))
			}
		}
		lock := story.Strategy()
		add(Place{Name: story.Name}, story.Title(p.Book), p.Gap("a_story", lock), append(passages, p.Pair(lock, p.lockName(lock)))...)
	}
	for _, c := range p.course.Chapters {
		said := p.course.Said(p.lang, c.ID)
		add(ChapterPlace(c.ID), p.chapterName(c), p.Text("a_chapter"), said.About, said.Question, said.Answer, said.Remember, said.After)
	}
	for i := range p.levels.list {
		if level := &p.levels.list[i]; level.Lock() == "" {
			about := level.About(p.Book, p.lang)
			add(ParsePlace("level:"+level.ID), about.Name, p.Text("a_level"), about.Goal)
		}
	}
	for _, id := range slices.Concat(onScreen, spokenOf) {
		term := p.Term(id)
		add(Place{Kind: "words"}, term.Name, p.Text("a_term"), term.Says)
	}
	return all
}

// hits counts the words that occur in a text.
func hits(text string, words []string) int {
	n := 0
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			n++
		}
	}
	return n
}
