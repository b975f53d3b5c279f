package export

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/strategies"
)

// A Course is chapters with their lessons, in one language.
type Course struct {
	Title, About string
	Chapters     []Chapter

	lang string
	book *prose.Book
}

// A Chapter is its lessons and the texts around them.
type Chapter struct {
	ID, Title string
	Before    []Passage
	Lessons   []*Lesson
	After     []Passage
}

// NewCourse plays a course, or one named chapter of it. It calls tell with the
// number of chapters that are done.
func NewCourse(ctx context.Context, told Told, c *course.Course, only string, tell func(done, total int)) (*Course, error) {
	out := &Course{Title: c.Title(told.Lang), About: c.About(told.Lang), lang: told.Lang, book: prose.Load(told.Lang)}
	for i := range c.Chapters {
		ch := &c.Chapters[i]
		if only != "" && ch.ID != only {
			continue
		}
		tell(i, len(c.Chapters))
		chapter, err := out.chapter(ctx, told, c, ch)
		if err != nil {
			return nil, lang.Errorf("%s: %w", ch.ID, err)
		}
		out.Chapters = append(out.Chapters, chapter)
	}
	if only != "" && len(out.Chapters) == 1 {
		out.Title, out.About = out.Chapters[0].Title, ""
	}
	return out, nil
}

func (c *Course) chapter(ctx context.Context, told Told, of *course.Course, ch *course.Chapter) (Chapter, error) {
	lock, own, text := c.book.Lock(ch.Lock), of.Text(told.Lang, ch.ID), c.book.Text
	out := Chapter{ID: ch.ID, Title: cmp.Or(own.Title, scenarios.Capital(ch.ID))}
	if ch.Lock != "" && own.Title == "" {
		out.Title = c.book.Pair(ch.Lock, lock.Name)
	}
	about := passageOf(text("about"), own.About)
	if own.About == "" {
		about = passageOf(text("claims"), lock.Claims)
	}
	out.Before = parts([]Passage{about, passageOf(text("works"), lock.Works), passageOf(text("question"), own.Question)})
	for _, story := range ch.Plays() {
		l, err := c.lesson(ctx, told, ch, story)
		if err != nil {
			return out, lang.Errorf("%s: %w", story.Name, err)
		}
		out.Lessons = append(out.Lessons, l)
	}
	out.After = []Passage{
		passageOf(text("breaks"), own.Breaks, lock.Breaks), passageOf(text("costs"), lock.Costs), passageOf(text("seen"), lock.Seen), passageOf(text("fix"), own.Fix, lock.Fix),
		passageOf(text("part_compare"), own.After), passageOf(text("answer"), own.Answer), passageOf(text("remember"), own.Remember),
	}
	if _, ok := strategies.Find(ch.Exercise); ok {
		out.After = append(out.After, passageOf(text("exercise"), c.book.Gap("exercise_says", ch.Exercise)))
	}
	out.After = parts(out.After)
	return out, nil
}

// lesson plays a story of a chapter, with the chapter's lock if the story is
// about it.
func (c *Course) lesson(ctx context.Context, told Told, ch *course.Chapter, story *scenarios.Story) (*Lesson, error) {
	lock := story.Strategy()
	if ch.Lock != "" && (story == ch.Works || story == ch.Breaks) {
		lock = ch.Lock
		story = story.For(lock)
	}
	result, err := scenarios.RunAgainst(ctx, story, lock)
	if err != nil {
		return nil, err
	}
	return NewLesson(ctx, told, story, result)
}

// A Passage is a text with its label.
type Passage struct {
	Label  string
	Blocks []course.Block
}

// passageOf is a passage of the first text that is not empty.
func passageOf(label string, texts ...string) Passage {
	return Passage{label, course.Markup(cmp.Or(texts...))}
}

// parts drops passages without a text.
func parts(all []Passage) []Passage {
	return slices.DeleteFunc(all, func(p Passage) bool { return len(p.Blocks) == 0 })
}

// Formats lists the formats of a course.
func (c *Course) Formats() []Format {
	out := []Format{{".html", plain(c.HTML)}, {".md", plain(c.Markdown)}}
	if l := c.clearest(); l != nil {
		for _, f := range l.Formats() {
			if f.Ending != ".html" && f.Ending != ".md" {
				out = append(out, f)
			}
		}
	}
	return out
}

// clearest returns the lesson for formats that hold a single one: of one chapter, the first
// that violates anything, or else its first; nil for a whole course.
func (c *Course) clearest() *Lesson {
	if len(c.Chapters) != 1 || len(c.Chapters[0].Lessons) == 0 {
		return nil
	}
	lessons := c.Chapters[0].Lessons
	return lessons[max(0, slices.IndexFunc(lessons, func(l *Lesson) bool { return len(l.Violations) > 0 }))]
}

type courseView struct {
	*Course
	Chapters []chapterView
}

type chapterView struct {
	Chapter
	Ref     string
	N       int
	Lessons []*lessonView
}

// HTML writes the course as a page with its chapters below each other; each
// lesson can be stepped through.
func (c *Course) HTML() ([]byte, error) {
	return draw(c.book, sheet{Lang: c.lang, Title: c.Title, Plays: true, Course: c.view()})
}

// Markdown writes the course as a hand-out, with the answers at the end.
func (c *Course) Markdown() ([]byte, error) { return inHandOut(c.book, sheet{Course: c.view()}) }

// view prepares the course for a page.
func (c *Course) view() *courseView {
	v := &courseView{Course: c}
	taken, asked := map[string]bool{}, 0
	for i, ch := range c.Chapters {
		cv := chapterView{Chapter: ch, Ref: unique(taken, identifier(ch.ID)), N: i + 1}
		for _, l := range ch.Lessons {
			lv := l.view(unique(taken, identifier(l.Name)) + "-")
			lv.ID, lv.Asked = lv.Prefix+"lesson", asked
			asked += len(l.Questions())
			cv.Lessons = append(cv.Lessons, lv)
		}
		v.Chapters = append(v.Chapters, cv)
	}
	return v
}

// unique changes a name that another part of the page has.
func unique(taken map[string]bool, name string) string {
	id := name
	for n := 2; taken[id]; n++ {
		id = name + "_" + strconv.Itoa(n)
	}
	taken[id] = true
	return id
}
