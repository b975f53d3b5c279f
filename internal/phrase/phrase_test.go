package phrase

import (
	"html"
	"html/template"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

type facts struct {
	Story, Said string
	N, Of       int
	Rows        []row
	Own         *row
	Inner
}

type Inner struct{ Deep string }

type row struct {
	Name  string
	Cells []string
}

// TestPages: pages say what html/template makes of them.
func TestPages(t *testing.T) {
	own := map[string]any{"double": func(s string) string { return s + s }, "rows": func(f *facts) []row { return f.Rows }, "named": func() string { return "<n>" }, "first": func(all []row) row { return all[0] }}
	for _, text := range []string{
		`{{define "x"}}<b>{{.}}</b>{{end}}{{range .Rows}}{{template "x" .Name}}{{end}}`,
		`{{range $r := .Rows}}{{range .Cells}}{{$r.Name}}={{.}}{{$.Story}};{{end}}{{end}}`,
		`{{$first := first .Rows}}{{$first.Name}}{{with $first.Cells}}{{len .}}{{end}}{{with .Own}}{{.Name}}{{end}}{{.Deep}}`,
		`{{if gt (len .Rows) 1}}{{double .Story}}{{else}}no{{end}}{{range rows .}}<i title="{{.Name}}">{{.Name}}</i>{{end}}{{named}}`,
		`{{range .Rows}}{{if .Cells}}{{.Name}}{{else}}none{{end}}{{end}}`,
	} {
		model := template.Must(template.New("p").Funcs(own).Parse(text))
		p := NewPage("p", text, html.EscapeString, own)
		for _, f := range []*facts{
			{Story: `<a href="x">&'`, Rows: []row{{"one<", []string{"a", "<b>"}}, {Name: `"two"`}}, Own: &row{Name: "own"}, Inner: Inner{"deep"}},
			{Rows: []row{{Name: "z", Cells: []string{}}}},
		} {
			var want strings.Builder
			testkit.OK(t, model.Execute(&want, f))
			if got, err := p.Fill(f); err != nil || got != want.String() {
				t.Errorf("%s: %q, %v; want %q", text, got, err, want.String())
			}
		}
	}
}

// TestNoPhrase: what has no meaning here is an error, and none panics.
func TestNoPhrase(t *testing.T) {
	for _, text := range []string{
		"{{.N.Height}}", "{{.None}}", "{{range .Story}}{{end}}", `{{.Story | len}}`, "{{printf .Story}}", "{{eq .N}}", "{{not}}",
		`{{eq .N "1"}}`, "{{gt . .}}", "{{.N .Of}}", "{{nil}}", "{{true}}", `{{template "y"}}`, "{{or}}", "{{break}}", "{{$.None}}", `{{eq .Story 1}}`, `{{or .Story .Said "x"}}`,
		"{{$}}", "{{len .N}}", `{{template "y" .}}`,
	} {
		if got, err := New("x", text).Fill(facts{Story: "s"}); err == nil {
			t.Errorf("%s is %q", text, got)
		}
	}
}
