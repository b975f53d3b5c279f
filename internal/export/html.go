package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
	"sync"
	"unicode"

	"lockstep/internal/course"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/palette"
	"lockstep/internal/prose"
)

// This file is the frame of every page: a single file whose policy allows only
// its own script and style.

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

// html/template escapes every value for its place in the page.
var frame = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"listings": listings, "markup": course.Markup, "href": href,
		"raw":  func(svg string) template.HTML { return template.HTML(svg) },
		"text": func(id string) string { return id }, // see draw
	}).Parse(pageHTML))
})

// A sheet is the content of a frame.
type sheet struct {
	Lang, Title, Policy string
	Plays, One          bool // it has lessons, which are to be played; it is one, which plays from the start
	Style               template.CSS
	Script              template.JS
	Body                any

	name string // of the body's template
}

// HTML writes the lesson as a page: all steps below each other or, with
// JavaScript, one at a time.
func (l *Lesson) HTML() ([]byte, error) {
	return draw(l.book, sheet{Lang: l.lang, Title: l.Title, Plays: true, One: true, Body: l.view(""), name: "one"})
}

// draw fills the frame with the texts of a language.
func draw(b *prose.Book, s sheet) ([]byte, error) {
	style, script := palette.CSS()+vector.CSS+pageCSS, pageJS
	s.Style, s.Script = template.CSS(style), template.JS(script)
	s.Policy = "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; base-uri 'none'; form-action 'none'"
	body, err := frame().Clone()
	if err != nil {
		return nil, err
	}
	if _, err := body.Funcs(template.FuncMap{"text": b.Text}).Parse(`{{define "body"}}{{template "` + s.name + `" .}}{{end}}`); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = body.ExecuteTemplate(&out, "page", s)
	return bytes.Map(printable, out.Bytes()), err
}

// printable replaces characters that control a terminal or the direction of
// text; a course can contain them.
func printable(r rune) rune {
	if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// hash is the name of an allowed text in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// identifier makes an HTML id of a name.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}
