package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"lockstep/tui/render"
)

// This file is the frame of every page: one file that needs no other, and allows
// no script and no style but its own.

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

// Every value that a page shows goes through html/template, which escapes it for the
// place where it stands.
var frame = template.Must(template.New("").Funcs(template.FuncMap{"paragraphs": paragraphsOf}).Parse(pageHTML))

// A sheet is what the frame needs of a page.
type sheet struct {
	Lang, Title, Policy string
	Play                string // what the button says that plays a lesson
	One                 bool   // a lesson alone plays from the start
	Style               template.CSS
	Script              template.JS
	Body                any

	name string // of the body's template
}

// HTML is the lesson as a page: all steps below each other, and with JavaScript one
// at a time.
func (l *Lesson) HTML() ([]byte, error) {
	return draw(sheet{Lang: l.lang, Title: l.Title, Play: l.text("export_play"), One: true, Body: l.view(""), name: "one"})
}

// draw fills the frame.
func draw(s sheet) ([]byte, error) {
	style, script := colours()+pageCSS, pageJS
	s.Style, s.Script = template.CSS(style), template.JS(script)
	s.Policy = "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; base-uri 'none'; form-action 'none'"
	body, err := frame.Clone()
	if err != nil {
		return nil, err
	}
	if _, err := body.Parse(`{{define "body"}}{{template "` + s.name + `" .}}{{end}}`); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = body.ExecuteTemplate(&out, "page", s)
	return bytes.Map(printable, out.Bytes()), err
}

// printable keeps characters that steer a terminal, or the direction of what follows,
// out of a page: what a course says can hold any.
func printable(r rune) rune {
	if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// hash is how a policy names a text that is allowed.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A palette is the colours of a page on one background.
var palettes = map[render.Background]string{
	render.OnLight: "--bg:#fff;--fg:#1b1e24;--faint:#5b616b;--rule:#c6cad1;--panel:#f3f5f8;--mark:#fff3c4;--link:#1a56b0;--bad:#b3001b;--ask:#6a2fa0;--good:#0b6b2e",
	render.OnDark:  "--bg:#1e1e1e;--fg:#e8e8e8;--faint:#a8adb5;--rule:#4a4f57;--panel:#292b2f;--mark:#454024;--link:#82b1ff;--bad:#ff8a80;--ask:#d7a8ff;--good:#7fd79b",
}

// colours are those of the walkthrough for the clients, and what goes with them.
func colours() string {
	of := func(b render.Background) string {
		s := ":root{" + palettes[b]
		for i, c := range render.ClientColours(b) {
			s += fmt.Sprintf(";--c%d:%s", i+1, c)
		}
		return s + "}"
	}
	return of(render.OnLight) + "@media screen and (prefers-color-scheme:dark){" + of(render.OnDark) + "}\n"
}

// identifier makes a name fit for an id, which a link can be written to.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}
