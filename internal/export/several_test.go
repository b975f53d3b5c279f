package export

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
	"lockstep/sim/explore"
)

// chapterOf is one chapter of the usual course.
func chapterOf(t *testing.T, id, lang string) *Course {
	t.Helper()
	usual := course.Usual()
	c := testkit.Must(NewCourse(t.Context(), Told{Lang: lang}, usual, id, func(int, int) {}))(t)
	if len(c.Chapters) != 1 || len(c.Chapters[0].Lessons) != 2 {
		t.Fatalf("%d chapters", len(c.Chapters))
	}
	return c
}

// TestCoursePage: the lessons of a course stand below each other; each can be gone
// through by itself, also by an address.
func TestCoursePage(t *testing.T) {
	one, two := chapterOf(t, "set-del", "en"), chapterOf(t, "set-del", "en")
	one.Chapters = append(one.Chapters, two.Chapters...) // the same names twice
	text := testkit.Must(one.HTML())(t)
	b := openTab(t)
	b.size(1280, 900)
	b.open("course.html", text, "")
	want(b, `document.querySelectorAll("article.lesson").length`, 4)
	want(b, `document.querySelectorAll("article.live").length`, 0)
	want(b, `new Set([...document.querySelectorAll("[id]")].map((e) => e.id)).size === document.querySelectorAll("[id]").length`, true)
	want(b, `[...document.querySelectorAll(".toc a")].every((a) => document.getElementById(a.hash.slice(1)))`, true)
	eval[any](b, `document.querySelectorAll("article .play")[1].click()`)
	want(b, `[...document.querySelectorAll("article")].findIndex((a) => a.classList.contains("live"))`, 1)
	b.Press(kb.ArrowRight)
	name := identifier(one.Chapters[0].Lessons[1].Name)
	want(b, `location.hash`, "#"+name+"-step-2")
	b.open("course.html", text, "#"+name+"_2-step-3")
	want(b, `[...document.querySelectorAll("article")].findIndex((a) => a.classList.contains("live"))`, 3)
	want(b, `document.querySelector("article.live .here .n").textContent`, "3")
	b.quiet()
	if md := string(first(one.Markdown())); strings.Count(md, "\n## ") != 2+1+strings.Count(md, "\n## Answers: ") {
		t.Error("the hand-out has not its chapters")
	}
}

// TestChapterPicture: one chapter as a picture is its lesson that violates something; a
// whole course has no picture.
func TestChapterPicture(t *testing.T) {
	c := chapterOf(t, "set-del", "en")
	var endings []string
	for _, f := range c.Formats() {
		endings = append(endings, f.Ending)
		if f.Ending != ".svg" {
			continue
		}
		text := string(first(f.Write(Options{})))
		if want := c.Chapters[0].Lessons[1]; len(want.Violations) == 0 || !strings.Contains(text, want.Violations[0].Verdict) {
			t.Errorf("the picture does not say %q", want.Violations[0].Verdict)
		}
	}
	if got := strings.Join(endings, " "); got != ".html .md .svg .mmd" {
		t.Errorf("a chapter has %s", got)
	}
	if c.Chapters = append(c.Chapters, c.Chapters[0]); len(c.Formats()) != 2 {
		t.Errorf("two chapters have %d formats", len(c.Formats()))
	}
}

// TestHostileCourse: also what a course and a matrix say is text, and nothing else.
func TestHostileCourse(t *testing.T) {
	evil := strings.Join(hostile, " ")
	l := hostileLesson(t)
	passages := []Passage{{evil, []course.Block{{Spans: []course.Span{{Text: evil}}}}}}
	c := &Course{Title: evil, About: evil, lang: "en", book: l.book, Chapters: []Chapter{
		{ID: evil, Title: evil, Before: passages, Lessons: []*Lesson{l}, After: passages}, {ID: evil, Title: evil},
	}}
	m := &Matrix{Title: evil, About: evil, Lock: evil, Hazards: []Hazard{{evil, evil}}, Notes: []string{evil}, lang: "en", book: l.book, Rows: []Row{{evil, []Cell{{
		explore.Violated, evil, evil, []Counterexample{{evil, evil, []TraceLine{{evil, true}}, evil}}, "",
	}}}}}
	b := openTab(t)
	for _, text := range [][]byte{first(c.HTML()), first(m.HTML())} {
		b.open("page.html", text, "")
		harmless(b)
		if shown := eval[string](b, `document.body.textContent.replace(/\s+/g, " ")`); !strings.Contains(visible(shown), visible(evil)) {
			t.Error("the page does not show the texts")
		}
		b.quiet()
	}
	pages := markdownOf(t, []string{string(first(c.Markdown())), "# " + inMarkdown(m.Title)})
	for _, tag := range []string{"<script", "<img", "<svg", "javascript:\""} {
		if strings.Contains(strings.Join(pages, ""), tag) {
			t.Errorf("a hand-out has %s", tag)
		}
	}
}

// TestParagraphsOfACourse: a text of a course keeps its paragraphs and its lists.
func TestParagraphsOfACourse(t *testing.T) {
	got := string(after(course.Markup("One, `two`.\n\nThree:\n\n- four\n- **five** [six](https://a.b)\n\n1. 2*3 \\*"), ""))
	if want := "One, `two`.\n\nThree:\n\n- four\n- **five** [six](<https://a.b>)\n\n1. 2\\*3 \\*\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMarkupOnAPage: a course's Markdown is elements of a page, and a link to a chapter
// leads there.
func TestMarkupOnAPage(t *testing.T) {
	l := hostileLesson(t)
	about := "A **bold** `DEL`, [here](#two) and [there](https://a.b).\n\n- one\n- two\n\n3. three\n"
	c := &Course{Title: "T", About: about, lang: "en", book: l.book, Chapters: []Chapter{{ID: "one", Title: "One", Before: []Passage{passageOf("L", about)}}, {ID: "two", Title: "Two"}}}
	page := string(first(c.HTML()))
	for _, want := range []string{"<strong>bold</strong>", "<code>DEL</code>", `<a href="#two">here</a>`, `id="two"`, `<a href="https://a.b">there</a>`, "<ul><li>one<li>two</ul>", `<ol start="3"><li>three</ol>`} {
		if n := strings.Count(page, want); n < 1 || n < 2 && want[0] == '<' {
			t.Errorf("the page has %q %d times", want, n)
		}
	}
}

// TestHref: a link leads to an address or to a chapter, and runs nothing.
func TestHref(t *testing.T) {
	for link, want := range map[string]string{
		"#two words": "#two_words", "https://a.b/c?d=e#f": "https://a.b/c?d=e#f", "mailto:a@b": "mailto:a@b", "x/y.html": "x/y.html",
		"javascript:alert(1)": "#", " javascript:alert(1)": "#", "JAVASCRIPT:alert(1)": "#", "java\nscript:alert(1)": "#", "data:text/html,x": "#", "vbscript:x": "#", ":": "#",
	} {
		if got := href(link); got != want {
			t.Errorf("%q leads to %q, not %q", link, got, want)
		}
	}
}
