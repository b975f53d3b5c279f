package prose

import (
	"strings"
	"testing"
	"text/template"
)

// TestPhrases: each text of each language, and some that none has, say what
// text/template makes of them.
func TestPhrases(t *testing.T) {
	texts := map[string][]any{}
	add := func(samples []any, all ...string) {
		for _, text := range all {
			if text != "" {
				texts[text] = samples
			}
		}
	}
	told := []any{TextFacts{}, TextFacts{80, 24, 100, 30, "story", 3, 7, 1, 2, 3, 4, "2s", "c", "leak", "crash", "yes"}, TextFacts{N: 1, Of: 1}}
	for _, lang := range Languages() {
		b, err := Load(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range b.texts {
			add(told, text)
		}
		for _, text := range b.says {
			add(everyFact(), text)
		}
		for _, i := range b.invariants {
			add(everyViolation(), i.Line)
		}
	}
	add(told, "{{with .Story}}{{.}} {{$.Steps}}{{else}}-{{end}}", `{{if and .N .Of}}a{{else if gt .Of 1}}b{{else}}c{{end}}`,
		`{{or .Story .Said "x"}} {{not .N}} {{eq .N .Of}} {{ne .Story "story"}} {{- " y" }}`, `{{if eq (or .Story "z") "z"}}z{{end}}`)
	if len(texts) < 500 {
		t.Errorf("only %d texts", len(texts))
	}
	for text, samples := range texts {
		p, err := newPhrase("x", text)
		if err != nil {
			t.Fatal(err)
		}
		model := template.Must(template.New("x").Parse(text))
		for _, facts := range samples {
			var want strings.Builder
			if err := model.Execute(&want, facts); err != nil {
				t.Fatal(err)
			}
			if got, err := p.fill(facts); err != nil || got != want.String() {
				t.Errorf("%s of %+v: %q, %v; want %q", text, facts, got, err, want.String())
			}
		}
	}
}

// TestNoPhrase: what has no meaning here is an error, and none panics.
func TestNoPhrase(t *testing.T) {
	for _, text := range []string{
		"{{.Width.Height}}", "{{.None}}", "{{range .Story}}{{end}}", `{{.Story | len}}`, "{{printf .Story}}", "{{$x := .N}}", "{{eq .N}}", "{{not}}",
		`{{eq .N "1"}}`, "{{gt . .}}", "{{.N .Of}}", "{{nil}}", "{{true}}", `{{template "x"}}`, "{{or}}", "{{break}}", "{{$.None}}",
	} {
		p, err := newPhrase("x", text)
		if err != nil {
			continue
		}
		if got, err := p.fill(TextFacts{Story: "s"}); err == nil {
			t.Errorf("%s is %q", text, got)
		}
	}
}
