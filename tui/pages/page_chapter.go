package pages

import (
	"lockstep/internal/course"
	"lockstep/internal/progress"
)

// A chapterPage is one part of the open chapter, with keys to the parts before and
// after it.
type chapterPage struct {
	page
	below
	chapter course.Chapter
	menu
}

// below is shared, for a page that is another one where it says nothing itself.
type below struct{ *shared }

var (
	onwardKey   = keyOf("onward")
	backwardKey = keyOf("backward")
)

// A stepped part is a part with steps of its own. Its ends lead to other parts, and so does
// a failure to show it.
type stepped interface {
	ends() (start, end, failed bool)
}

// A stepwise part has a cursor, counted from 0. Until its run is there, the cursor is where
// it will open.
type stepwise interface{ cursor() *int }

func newChapterPage(s *shared, at int) *chapterPage {
	chapter := s.course.open()
	parts := partsOf(chapter)
	p := &chapterPage{below: below{s}, chapter: chapter, menu: menu{at, len(parts)}}
	switch p.part().kind() {
	case workPart, breakPart: // the runs follow the first part
		p.page = newLockStory(s, chapter.Plays()[at-1], chapter.Lock, p.part(), p.name)
	case playPart:
		story := newStoryPage(s, chapter.Stories[p.part().which()], 0)
		story.name, story.part = p.name, p.part()
		p.page = story
	case comparePart:
		p.page = newComparePage(s, &twoLocks{shared: s, of: p.name, after: func() string { return s.course.Said(s.lang, chapter.ID).After }, locks: [2]string{chapter.Lock, chapter.Fix}, find: known(chapter.Breaks)})
	case tryPart:
		p.page = p.levelPage(chapter.Attack)
	case holdPart:
		p.page = p.levelPage(chapter.Hold)
	case levelPart:
		p.page = p.levelPage(chapter.Try[p.part().which()])
	default:
		p.page = newReadPage(s, chapter, p.at)
	}
	return p
}

// levelPage returns the page of a level, or an error text if the levels could not be
// read.
func (p *chapterPage) levelPage(id string) page {
	level := p.levels.find(id)
	if level == nil {
		return newReadPage(p.shared, p.chapter, p.at)
	}
	g := newLevelPage(p.shared, level)
	g.onward = p.onward
	switch at := p.at + 1; {
	case at == p.n:
		g.leads = "end_chapter"
	case partsOf(p.chapter)[at].kind() == closingPart:
		g.leads = "next_part"
	}
	return g
}

func (p *chapterPage) part() part { return partsOf(p.chapter)[p.at] }

// name returns the part's number and name.
func (p *chapterPage) name() string {
	return p.Fill("nth_part", facts{N: p.at + 1, Of: p.n, What: p.partName(p.chapter, p.part())})
}

func (p *chapterPage) title() (left, right string) {
	if p.part() == holdPart {
		return p.lockName(p.chapter.Fix), p.name()
	}
	return p.chapterName(p.chapter), p.name()
}

func (p *chapterPage) ends() (start, end, failed bool) {
	if s, ok := p.page.(stepped); ok {
		return s.ends()
	}
	return true, true, false
}

// keys returns the keys of the part. At its ends, the stepping keys go to another part.
func (p *chapterPage) keys() []key {
	start, end, failed := p.ends()
	on := onwardKey.to(p.onward).when(end || failed)
	if r, ok := p.page.(interface{ more() bool }); ok && r.more() {
		on = without([]key{on}, " ")[0] // it reads on first
	}
	back := backwardKey.to(func() act { return instead(newChapterPage(p.shared, p.at-1)) }).when(start && p.at > 0)
	keys := []key{on, back}
	for _, k := range p.page.keys() {
		keys = append(keys, k.when(k.does != stepKey.does || on.off).when(k.does != stepBackKey.does || back.off))
	}
	return keys
}

// onward goes to the next part, or after the last one to the end; in a talk, back to the
// list, at the next chapter.
func (p *chapterPage) onward() act {
	if p.at+1 < p.n {
		return instead(newChapterPage(p.shared, p.at+1))
	}
	if p.talk != nil {
		p.course.chapter.move(1)
		return back
	}
	end := newEndPage(p.shared, p.chapter)
	return p.again(p.missed(p.chapter), false, func() act {
		if p.chapter.Lock == "" && len(p.chapter.Plays()) == 0 { // it has only text
			return end.onward()
		}
		return instead(end)
	})
}

// turn steps within the part, or to the next part or chapter.
func (p *chapterPage) turn(by int) (act, bool) {
	if inner, ok := p.page.(turner); ok {
		if a, more := inner.turn(by); more {
			return a, true
		}
	}
	chapter, at := p.course.chapter, p.at+by
	if at >= 0 && at < p.n {
		return p.toPart(at, by)
	}
	before := chapter.at
	if chapter.move(by); chapter.at == before {
		return nil, false
	}
	p.course.chapter = chapter
	if at = 0; by < 0 {
		at = len(partsOf(p.course.open())) - 1
	}
	return p.toPart(at, by)
}

// toPart opens a part of the current chapter, at its end when going back.
func (p *chapterPage) toPart(at, by int) (act, bool) {
	next := newChapterPage(p.shared, at)
	if by < 0 {
		next.toEnd()
	}
	return instead(next), true
}

func (p *chapterPage) toEnd() {
	if inner, ok := p.page.(turner); ok {
		inner.toEnd()
	}
}

func (p *chapterPage) settle() act {
	return all(p.page.settle(), p.keep())
}

// keep saves the progress of the chapter, if it changed.
func (p *chapterPage) keep() act {
	p.course.entered = true
	id := p.chapter.ID
	was, begun := p.progress.Chapters[id]
	now := progress.Chapter{Part: string(p.part()), End: was.End || p.at == p.n-1}
	now.Done = was.Done || now.End && p.finished(p.chapter)
	if begun && now == was && p.progress.Last == id {
		return nil
	}
	return p.note(progress.Progress{Last: id, Chapters: map[string]progress.Chapter{id: now}})
}

func (p *chapterPage) waits(name string) patience {
	if start, _, _ := p.ends(); start && p.at > 0 && backwardKey.is(name) {
		return atOnce
	}
	return p.page.waits(name)
}

func (p *chapterPage) place() (facts, bool) { return p.coursePlace(), true }
