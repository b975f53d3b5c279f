package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"maps"
	"strings"
	"unicode"

	"lockstep/internal/course"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/lesson"
	"lockstep/internal/palette"
	"lockstep/internal/phrase"
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
	//go:embed page/scroll.css
	scrollCSS string
	//go:embed page/scroll.js
	scrollJS string
)

// shared are what a page and a hand-out call.
var shared = map[string]any{
	"printf": fmt.Sprintf,
	"raw":    func(text string) phrase.HTML { return phrase.HTML(text) },
	"first":  func(group []Command) Command { return group[0] },
	"groups": (*Lesson).Groups, "leads": (*Lesson).Leads, "after": (*Lesson).StateAfter, "questions": (*Lesson).Questions, "token": (*Lesson).Token,
	"steps": (*lessonView).Steps, "happened": (*Violation).Happened, "rest": (*Violation).Rest,
	"solution": lesson.Question.Solution, "reasons": lesson.Question.Reasons,
	"to": func(group []Command) int { return group[len(group)-1].To },
}

// A sheet is the content of a frame.
type sheet struct {
	Lang, Title, Policy string
	Plays, One          bool // it has lessons, which are to be played; it is one, which plays from the start
	Style, Script       string
	Lesson, Tale        *lessonView // one of the four
	Course              *courseView
	Matrix              *Matrix
}

// HTML writes the lesson as a page: all steps below each other or, with
// JavaScript, one at a time.
func (l *Lesson) HTML() ([]byte, error) {
	return draw(l.book, sheet{Lang: l.lang, Title: l.Title, Plays: true, One: true, Lesson: l.view("")})
}

// Tale writes the lesson as a page that one scrolls: the text tells the run, and with JavaScript
// the picture grows beside it.
func (l *Lesson) Tale() ([]byte, error) {
	return draw(l.book, sheet{Lang: l.lang, Title: l.Title, Tale: l.view("")})
}

// draw fills the frame with the texts of a language.
func draw(b *prose.Book, s sheet) ([]byte, error) {
	s.Style, s.Script = palette.CSS()+vector.CSS+pageCSS, pageJS
	if s.Tale != nil {
		s.Style, s.Script = s.Style+scrollCSS, scrollJS
	}
	s.Policy = "default-src 'none'; script-src " + hash(s.Script) + "; style-src " + hash(s.Style) + "; base-uri 'none'; form-action 'none'"
	own := map[string]any{
		"text": b.Text, "listings": listings, "markup": course.Markup, "href": href,
		"listing": (*lessonView).Listing, "data": (*lessonView).Data, "class": Cell.Class,
	}
	maps.Copy(own, shared)
	text, err := phrase.NewPage("page", pageHTML, html.EscapeString, own).Fill(s)
	return bytes.Map(printable, []byte(text)), err
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
