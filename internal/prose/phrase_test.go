package prose

import (
	"reflect"
	"strings"
	"testing"
	"text/template"

	"lockstep/internal/phrase"
	"lockstep/internal/testkit"
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
	told := everyText()
	for _, lang := range Languages() {
		b := Load(lang)
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
		`{{or .Story "x"}} {{not .N}} {{eq .N .Of}} {{ne .Story "story"}} {{- " y" }}`)
	if len(texts) < 500 {
		t.Errorf("only %d texts", len(texts))
	}
	for text, samples := range texts {
		p := phrase.New("x", text)
		model := template.Must(template.New("x").Parse(text))
		for _, facts := range samples {
			var want strings.Builder
			testkit.OK(t, model.Execute(&want, facts))
			if got, err := p.Fill(facts); err != nil || got != want.String() {
				t.Errorf("%s of %+v: %q, %v; want %q", text, facts, got, err, want.String())
			}
		}
	}
}

// tryPhrases says each phrase of a book with samples of what it may speak of.
func tryPhrases(b *Book) error {
	for id, p := range b.phrases {
		samples := everyText()
		if strings.HasPrefix(id, "invariants.") {
			samples = everyViolation()
		} else if strings.HasPrefix(id, "says.") {
			samples = everyFact()
		}
		for _, facts := range samples {
			if _, err := p.Fill(facts); err != nil {
				return err
			}
		}
	}
	return nil
}

// everyText returns facts of a text: none, all, all but one, and counts of one.
func everyText() []any {
	full := TextFacts{80, 24, 100, 30, "story", 3, 7, 1, 2, 3, 4, "2s", "c", "leak", "crash", "yes"}
	return append(allButOne(full), TextFacts{}, full, TextFacts{N: 1, Of: 1})
}

// allButOne returns facts with each of their fields left out once.
func allButOne[T any](full T) (all []any) {
	for i := range reflect.TypeFor[T]().NumField() {
		one := full
		reflect.ValueOf(&one).Elem().Field(i).SetZero()
		all = append(all, one)
	}
	return all
}

// everyViolation returns facts with each set of fields filled and empty.
func everyViolation() []any {
	var all []any
	for set := range 1 << 4 {
		var f ViolationFacts
		for i, field := range []*string{&f.Client, &f.Other, &f.Key, &f.Detail} {
			if set&(1<<i) != 0 {
				*field = []string{"A", "B", "lock:stock", "no TTL"}[i]
			}
		}
		all = append(all, f)
	}
	return all
}

// everyFact returns facts of which none, all but one, and all are known.
func everyFact() []any {
	var full Facts
	of := reflect.ValueOf(&full).Elem()
	for i := range of.NumField() {
		if f := of.Field(i); f.Kind() == reflect.String {
			f.SetString(of.Type().Field(i).Name)
		} else {
			f.SetInt(2)
		}
	}
	return append(allButOne(full), Facts{}, full)
}
