package prose

import (
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/internal/testkit"
)

// small is a language with one entry in each file, changed as a test needs.
func small(lang string, changed map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"locks.toml":      "[a]\nname = \"A\"\nclaims = \"It locks.\"",
		"invariants.toml": "[leak]\nsays = \"Free.\"\nline = \"{{.Client}} leaks\"",
		"hazards.toml":    "[crash]\nname = \"Crash\"",
		"terms.toml":      "[lease]\nsays = \"It ends.\"",
		"explain.toml":    "[says]\ncommand = \"{{.Cmd}}\"",
		"stories.toml":    "[title]\na = \"A\"",
		"ui.toml":         "[text]\nkeys = \"Keys\"\nbye = \"{{.Step}}\"",
	} {
		fsys[lang+"/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range changed {
		if text == "" {
			delete(fsys, lang+"/"+name)
			continue
		}
		fsys[lang+"/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestMistakesAreNamed(t *testing.T) {
	base := testkit.Must(read(small("en", nil), "en", nil))(t)
	for _, test := range []struct {
		why, file, text string
		base            *Book
		want            []string
	}{
		{"an unknown field", "locks.toml", "[a]\nnmae = \"A\"", nil, []string{"en/locks.toml", `:2:1: "nmae" is not a key here; did you mean name`}},
		{"an unknown table", "ui.toml", "[txt]\nkeys = \"K\"", nil, []string{"en/ui.toml:1:2:", "txt"}},
		{"broken TOML", "terms.toml", "[lease]\nsays = It ends.", nil, []string{"en/terms.toml:2:"}},
		{"a value of the wrong type", "terms.toml", "[lease]\nsays = 1", nil, []string{"en/terms.toml", "lease.says"}},
		{"an unclosed template", "invariants.toml", "[leak]\nline = \"{{.Client\"", nil, []string{"en/invariants.toml", "leak.line"}},
		{"an unknown field of a line", "invariants.toml", "[leak]\nline = \"{{if .Other}}{{if not .Key}}{{.Clinet}}{{end}}{{end}}\"", nil,
			[]string{"en/invariants.toml", "leak.line", "Clinet"}},
		{"an unknown field of a text", "ui.toml", "[text]\nbye = \"{{.Stp}}\"", nil, []string{"en/ui.toml", "text.bye", "Stp"}},
		{"an unknown field of a sentence", "explain.toml", "[says]\ncommand = \"{{.Cdm}}\"", nil, []string{"en/explain.toml", "says.command", "Cdm"}},
		{"a missing file", "hazards.toml", "", nil, []string{"en/hazards.toml"}},
		{"a misspelt file", "hazard.toml", "[crash]", nil, []string{"en/hazard.toml", "hazards.toml"}},
		{"an id that English lacks", "locks.toml", "[b]\nname = \"B\"", base, []string{"en/locks.toml", "b"}},
		{"a text that English lacks", "ui.toml", "[text]\nkyes = \"K\"", base, []string{"en/ui.toml", "kyes"}},
	} {
		b, err := read(small("en", map[string]string{test.file: test.text}), "en", test.base)
		if err == nil {
			err = tryPhrases(b)
		}
		if err == nil {
			t.Errorf("%s: no error", test.why)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not name %s", test.why, err, want)
			}
		}
	}
}

func TestFallBackIsPerField(t *testing.T) {
	base := testkit.Must(read(small("en", nil), "en", nil))(t)
	fsys := small("xx", map[string]string{
		"locks.toml":      "[a]\nname = \"X\"\nclaims = \"\"",
		"invariants.toml": "[leak]\nsays = \"Libre.\"",
		"hazards.toml":    "",
		"terms.toml":      "[lease]",
		"explain.toml":    "[says]\ncommand = \"{{.Cmd}}\"",
		"ui.toml":         "[text]\nkeys = \"Touches\"",
	})
	b := testkit.Must(read(fsys, "xx", base))(t)
	for _, test := range []struct{ what, got, want string }{
		{"own name", b.Lock("a").Name, "X"},
		{"an empty field", b.Lock("a").Claims, "It locks."},
		{"own sentence", b.Invariant("leak").Says, "Libre."},
		{"a missing field", b.Invariant("leak").Line, "{{.Client}} leaks"},
		{"a missing template", b.Violation("leak", ViolationFacts{Client: "A"}), "A leaks"},
		{"a missing file", b.Hazard("crash").Name, "Crash"},
		{"an empty table", b.Term("lease").Says, "It ends."},
		{"own text", b.Text("keys"), "Touches"},
		{"a missing text", b.Fill("bye", TextFacts{Step: 3}), "3"},
		{"English itself", base.Lock("a").Name, "A"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.what, test.got, test.want)
		}
	}
}

func TestLanguagesAreFolders(t *testing.T) {
	fsys := small("fr", nil)
	for name, file := range small("en", nil) {
		fsys[name] = file
	}
	for name, file := range small("de", nil) {
		fsys[name] = file
	}
	if got := strings.Join(languages(fsys), " "); got != "en de fr" {
		t.Errorf("got %s", got)
	}
}

func TestUnknownLanguage(t *testing.T) {
	if got, want := Load("xx").Text("steps"), Load("en").Text("steps"); got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
}
