package export

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// These tests hand files to programs that read them: a browser, a parser of XML, one
// of Markdown, and Mermaid itself.

// modules is the folder with what npm ci installs for these tests.
func modules(t *testing.T) string {
	t.Helper()
	testkit.Long(t, "node is slow; golden files hold the text that is written, and nothing quick parses it")
	dir := testkit.Must(filepath.Abs("testdata/node_modules"))(t)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("npm ci in internal/export/testdata has not been run")
	}
	return dir
}

// TestPages: stories as pages open without an error, and have all their steps.
func TestPages(t *testing.T) {
	b := openTab(t)
	for _, l := range lessons(t) {
		text := testkit.Must(l.HTML())(t)
		b.open("page.html", text, "")
		want(b, `document.querySelectorAll("tr.s").length`, len(l.Rows))
		want(b, `document.querySelectorAll("article.live").length`, 1)
		want(b, `document.documentElement.lang`, l.lang)
		b.quiet()
	}
}

// TestPictures: whole runs and single steps are XML, and pictures to a browser.
func TestPictures(t *testing.T) {
	b := openTab(t)
	for _, l := range append(lessons(t), hostileLesson(t)) {
		for _, step := range []int{0, 1, (len(l.Rows) + 1) / 2, len(l.Rows)} {
			text := testkit.Must(l.SVG(Options{step, step == 1, false}))(t)
			readXML(t, text)
			if step == 1 || l.lang == "zh" {
				continue
			}
			b.open("picture.svg", text, "")
			want(b, `document.documentElement.tagName`, "svg")
			want(b, `typeof pwned`, "undefined")
			want(b, `document.querySelectorAll("script, image, foreignObject, style").length`, 0)
			b.quiet()
		}
	}
	if _, err := lessonOf(t, sample, "en").SVG(Options{Step: 1000}); err == nil {
		t.Error("a step that is not there is drawn")
	}
}

func readXML(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in:\n%.300s", err, text)
		}
	}
}

// markdownOf is what a parser of Markdown makes of texts.
func markdownOf(t *testing.T, texts []string) (pages []string) {
	t.Helper()
	modules(t)
	in := testkit.Must(json.Marshal(texts))(t)
	cmd := exec.Command("node", "testdata/markdown.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &pages)
	}
	testkit.OK(t, err)
	return pages
}

// TestMarkdown: hand-outs have a row for each step, the lanes beside it, and the answers behind
// a page break.
func TestMarkdown(t *testing.T) {
	all := lessons(t)
	var texts []string
	for _, l := range all {
		text := testkit.Must(l.Markdown())(t)
		texts = append(texts, string(text))
	}
	for i, page := range markdownOf(t, texts) {
		l := all[i]
		rows := strings.Count(page, `<td style="text-align:right">`) - strings.Count(page, `<td style="text-align:right"></td>`)
		if rows != len(l.Rows) {
			t.Errorf("%s: %d rows for %d steps", l.Name, rows, len(l.Rows))
		}
		before, answers, ok := strings.Cut(page, "break-before: page")
		if asked := len(l.Questions()); !ok || asked > 0 && !strings.Contains(answers, "<h2>"+l.text("export_answers")) {
			t.Errorf("%s: no answers on a page of their own", l.Name)
		}
		if strings.Contains(before, "<h2>"+l.text("export_answers")) {
			t.Errorf("%s: the answers stand before the page break", l.Name)
		}
		if strings.Contains(page, "|") && !strings.Contains(strings.Join(stepTexts(l), ""), "|") {
			t.Errorf("%s: a table is not read as one", l.Name)
		}
	}
}

func stepTexts(l *Lesson) (texts []string) {
	for _, row := range l.Rows {
		texts = append(append(texts, l.said(row)), row.Printed(l.book)...)
	}
	return texts
}

// TestHostileMarkdown: what a run contains is text in a hand-out.
func TestHostileMarkdown(t *testing.T) {
	l := hostileLesson(t)
	text := testkit.Must(l.Markdown())(t)
	page := markdownOf(t, []string{string(text)})[0]
	plain := markdownOf(t, []string{string(first(lessonOf(t, sample, "en").Markdown()))})[0]
	for _, tag := range []string{"<script", "<img", "<a ", "<svg", "<style", "<!--", "<h1", "<h2", "<h3", "<li", "<pre", "<s>", "<blockquote", "<tr", "<table"} {
		if got, want := strings.Count(page, tag), strings.Count(plain, tag); got != want {
			t.Errorf("%d times %s, want %d as without hostile texts", got, tag, want)
		}
	}
	b := openTab(t)
	b.open("page.html", []byte(page), "")
	harmless(b)
	shown := eval[string](b, `document.body.textContent.replace(/\s+/g, " ")`)
	for _, s := range []string{l.Title, l.said(l.Rows[3]), l.Commands[0].Caption} {
		if !strings.Contains(shown, visible(s)) {
			t.Errorf("the page does not show %q", visible(s))
		}
	}
	b.quiet()
}

func first[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestMermaid: Mermaid reads and draws diagrams, and finds in a hostile one what it
// finds in the same one without.
func TestMermaid(t *testing.T) {
	script := filepath.Join(modules(t), "mermaid/dist/mermaid.min.js")
	b := openTab(t)
	b.open("page.html", []byte(`<!doctype html><meta charset="utf-8"><body><script src="file://`+script+`"></script>`), "")
	draw := func(l *Lesson) string {
		text := testkit.Must(json.Marshal(string(first(l.Mermaid()))))(t)
		// As open as Mermaid can be: whatever is escaped is so by us.
		return eval[string](b, `(async () => {
			mermaid.initialize({startOnLoad: false, securityLevel: "loose", maxTextSize: 1e8});
			try { return (await mermaid.render("x", `+string(text)+`)).svg } catch (e) { return "error: " + e }
		})()`)
	}
	for _, l := range lessons(t) {
		svg := draw(l)
		if strings.HasPrefix(svg, "error") {
			t.Errorf("%s: %s", l.Name, svg)
		}
		for _, lane := range l.Lanes {
			if !strings.Contains(svg, ">"+lane.Name+"<") {
				t.Errorf("%s: no lane %s", l.Name, lane.Name)
			}
		}
	}
	evil, plain := draw(hostileLesson(t)), draw(lessonOf(t, sample, "en"))
	for _, part := range []string{`class="note"`, `class="messageLine0"`, `class="activation`, "<script", "<img", "onerror=\"", "actor-top", "<a "} {
		if got, want := strings.Count(evil, part), strings.Count(plain, part); got != want {
			t.Errorf("%d times %s, want %d as without hostile texts", got, part, want)
		}
	}
	eval[any](b, `document.body.insertAdjacentHTML("beforeend", `+string(first(json.Marshal(evil)))+`)`)
	want(b, `typeof pwned`, "undefined")
	b.quiet()
}

// TestInMarkdown: whatever a paragraph begins with, and however code is quoted, what
// is seen is the text.
func TestInMarkdown(t *testing.T) {
	texts := append([]string{"# x", "- x", "+ x", "* x", "> x", "1. x", "12) x", "---", "===", "    x", "```", "| x |", "<b>x</b>", "&lt;", "a_b_ _c_", `\`, "http://x.y"}, hostile...)
	var paragraphs, codes []string
	for _, text := range texts {
		paragraphs, codes = append(paragraphs, inMarkdown(text)), append(codes, codeOf(text))
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	for i, out := range markdownOf(t, append(paragraphs, codes...)) {
		text, wrap := visible(texts[i%len(texts)]), "<p>"
		if i >= len(texts) {
			wrap, text = "<p><code>", strings.ReplaceAll(text, "|", `\|`) // which a table takes away
		}
		if got := html.UnescapeString(tags.ReplaceAllString(strings.TrimSpace(out), "")); !strings.HasPrefix(out, wrap) || visible(got) != text {
			t.Errorf("%q is shown as %q: %s", text, got, out)
		}
	}
}
