package pages

import (
	"slices"

	"lockstep/internal/course"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A locksPage is the first page: the list of locks, and the way to everything else.
type locksPage struct {
	preview
	menu
}

var courseKey, tourKey, whichKey = keyOf("course"), keyOf("tour"), keyOf("which")

// newLocksPage returns the page at a lock; "" is the first one.
func newLocksPage(s *shared, lock string) *locksPage {
	at := slices.IndexFunc(inGroups(), func(info strategies.Info) bool { return info.ID == lock })
	return &locksPage{newPreview(s), menu{max(0, at), len(strategies.Catalogue())}}
}

func (p *locksPage) title() (left, right string) { return "Lockstep", "" }

func (p *locksPage) status() (left, right string) {
	return p.menu.nth(p.shared, "nth_lock"), ""
}

func (p *locksPage) keys() []key {
	course := courseKey.to(func() act { return push(&coursePage{p.shared}) })
	if p.browser { // it leads on
		course.leads, course.rank = true, 1
	}
	keys := append([]key{tourKey.to(func() act { return push(newTourPage(p.shared)) }), course, p.toWhich().when(p.browser)}, p.menu.keys(p.open)...)
	return append(keys,
		p.toSearch(),
		keyOf("matrix").to(func() act { return push(newMatrixPage(p.shared)) }).when(p.board != nil),
		keyOf("levels").to(func() act { return push(newLevelsPage(p.shared, "")) }))
}

func (p *locksPage) open() act {
	return push(newStoriesPage(p.shared, p.selected().ID, nil))
}

// body draws the locks in groups, each with what the explorer found. On a wide screen
// the selected lock stands beside them.
func (p *locksPage) body(w, h int) render.Lines {
	first := p.invitation(w)
	h -= len(first)
	if w < besideLocks {
		about := p.Passages(p.about(), w)
		low := min(len(about), 4)
		lines := p.list(w, h-low-1).Block(w, h-low-1)
		lines = append(lines, p.Heading(p.selected().ID, w))
		return append(append(first, lines...), about.Cut(w, low)...)
	}
	left := listWidth
	right := w - left - 1
	return append(first, p.list(left, h).Block(left, h).Beside(p.beside(right-1, h).Block(right-1, h).Indent(), p.Glyphs.Bar)...)
}

const (
	besideLocks = 100 // width from which the selected lock stands beside the list
	listWidth   = 55
)

// A shelf is locks of one kind, with the key of its heading.
type shelf struct {
	heading string
	locks   []strategies.Info
}

// shelves returns the catalogue in groups: what the tutorials print, what repairs it, and
// what needs no lock.
func shelves() []shelf {
	all := []shelf{{heading: "locks_printed"}, {heading: "locks_repaired"}, {heading: "locks_without"}}
	for _, info := range strategies.Catalogue() {
		at := 1
		switch {
		case info.Nodes == 0:
			at = 2
		case len(info.Source) > 0 && info.ID != "set-lua": // which the tutorials print as the remedy
			at = 0
		}
		all[at].locks = append(all[at].locks, info)
	}
	return all
}

// inGroups returns the locks in the order of the list.
func inGroups() (locks []strategies.Info) {
	for _, g := range shelves() {
		locks = append(locks, g.locks...)
	}
	return locks
}

// list draws as much of the list around the selected lock as fits.
func (p *locksPage) list(w, h int) render.Lines {
	var out render.Lines
	n, here := 0, 0
	for _, g := range shelves() {
		out = append(out, render.Head.Line(render.Trim(p.Text(g.heading), w)))
		for _, info := range g.locks {
			if n == p.at {
				here = len(out)
			}
			out = append(out, p.row(info, n, w))
			n++
		}
	}
	if here < h { // with the first heading
		here = 0
	}
	from := render.MenuFrom(len(out), here, h)
	return out[from:min(len(out), from+h)]
}

// row draws one lock: whether its chapter is done, its id, and its badge.
func (p *locksPage) row(info strategies.Info, n, w int) render.Line {
	mark, role := "  ", render.Normal
	if n == p.at {
		mark, role = p.Glyphs.Here+" ", render.Strong
	}
	done := "  "
	if slices.ContainsFunc(p.course.Chapters, func(c course.Chapter) bool { return c.Lock == info.ID && p.progress.Chapters[c.ID].Done }) {
		done = p.Glyphs.Won + " "
	}
	const id = 21
	line := render.Line{role.Of(mark), render.Good.Of(done), role.Of(render.Fit(info.ID, id))}
	if p.Flow {
		line = append(line[:2], render.Strong.Of(p.Pair(info.ID, p.lockName(info.ID))+" "), render.Normal.Of(p.Lock(info.ID).Claims+" "))
	}
	line = append(line, p.badge(info.ID, w-id-4)...)
	return line.Toward("up", "down", n-p.at)
}

// badge says what breaks the lock first and what comes of it, and how much more breaks
// it: of what the lock that answers it survives, or else of what breaks that one as well.
func (p *locksPage) badge(lock string, w int) render.Line {
	standing := scenarios.StandingOf(lock)
	needless, limits := apart(standing)
	sign, role, broken := p.Glyphs.Bad, render.Alarm, needless
	switch {
	case len(standing) == 0:
		return nil
	case len(needless)+len(limits) == 0:
		return render.Good.Line(p.Glyphs.Right + " " + p.Text("cell_holds"))
	case len(needless) == 0:
		sign, role, broken = limitSign, render.Normal, limits
	}
	with := facts{Hazard: p.Hazard(broken[0].Hazard).Name, What: p.Text("harm_says_" + string(broken[0].Harm)), N: len(broken) - 1}
	if p.Flow {
		return role.Line(sign + " " + p.Fill(map[bool]string{true: "badge_says_limits", false: "badge_says"}[len(needless) == 0], with))
	}
	says := []string{p.With(with.Hazard, p.Text("harm_"+string(broken[0].Harm)))}
	if with.N > 0 {
		says = append(says, p.Count("badge_more", with.N))
	}
	return role.Line(render.Trim(sign+" "+p.List(says...), w))
}

// limitSign marks a lock that breaks only where the lock that answers it breaks as well.
const limitSign = "~"

// apart divides what breaks a lock: what the lock that answers it survives, and the rest.
func apart(standing []scenarios.Standing) (needless, limits []scenarios.Standing) {
	for _, s := range standing {
		switch {
		case s.Needless:
			needless = append(needless, s)
		case s.Harm != "":
			limits = append(limits, s)
		}
	}
	return needless, limits
}

// explains says what the badges mean.
func (p *locksPage) explains() (out render.Lines) {
	for _, b := range []struct {
		sign, text string
		role       render.Role
	}{{p.Glyphs.Bad, "badge_needless", render.Alarm}, {limitSign, "badge_limits", render.Strong}, {p.Glyphs.Right, "badge_holds", render.Good}} {
		out = append(out, b.role.Wrap(b.sign+" "+p.Text(b.text), p.width)...)
	}
	out = append(out, render.Wrap(p.Text("harms"), p.width)...)
	return append(out, render.Good.Wrap(p.Glyphs.Won+" "+p.Text("badge_done"), p.width)...)
}

func (p *locksPage) selected() strategies.Info { return inGroups()[p.at] }

// about is what two lines say of the selected lock.
func (p *locksPage) about() passages {
	return passages{{Label: p.lockName(p.selected().ID), Text: p.Lock(p.selected().ID).Claims}}
}

// invitation describes how to begin.
func (p *locksPage) invitation(w int) render.Lines {
	id := "course_begin"
	if p.course.where != "" {
		id = "course_other"
	}
	if len(p.progress.Chapters) > 0 {
		id = "course_resume"
	}
	return render.Ask.Wrap(p.Fill(id, p.ofCourse()), w)
}

// ofCourse returns which course there is, and how much of it is done.
func (p *locksPage) ofCourse() facts {
	return facts{What: p.named(courseKey), N: p.chaptersDone(), Of: p.course.chapter.n, Said: p.course.Title(p.lang)}
}

// place returns the course, if the user came from there.
func (p *locksPage) place() (facts, bool) {
	return p.coursePlace(), p.course.entered
}
