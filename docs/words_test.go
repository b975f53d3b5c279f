package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestWords: nothing that learners and users read has a phrase that testdata/words.txt
// replaces: pages, texts, help, messages, courses, stories, comments of the locks.
func TestWords(t *testing.T) {
	var instead []phrase
	for line := range strings.Lines(string(testkit.Must(os.ReadFile("testdata/words.txt"))(t))) {
		if i := strings.LastIndex(line, " | "); i > 0 && line[0] != '#' {
			never := strings.ReplaceAll(line[:i], " ", `\s+`)
			instead = append(instead, phrase{regexp.MustCompile(`(?im)\b(?:` + never + `)\b`), strings.TrimSpace(line[i+3:])})
		}
	}
	texts := map[string]string{}
	for name, text := range pages(t) {
		if !strings.Contains(name, "testdata/") {
			texts[name] = prosaic(text)
		}
	}
	for pattern, least := range sources {
		names := testkit.Must(filepath.Glob("../" + pattern))(t)
		if len(names) < least {
			t.Errorf("only %d files are %s", len(names), pattern)
		}
		for _, name := range names {
			texts[name] = english(name, string(testkit.Must(os.ReadFile(name))(t)))
		}
	}
	for name, text := range texts {
		for _, p := range instead {
			for _, at := range p.never.FindAllStringIndex(text, -1) {
				t.Errorf("%s:%d: %q: write %s", name, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]], p.write)
			}
		}
	}
}

// A phrase is what no text says, and what it says instead.
type phrase struct {
	never *regexp.Regexp
	write string
}

// sources are the files with English texts that are no pages, and how many there are at least.
var sources = map[string]int{
	"internal/prose/en/*.toml": 6, "internal/prose/zh/*.toml": 6, "internal/course/builtin/*/*.toml": 5, "internal/course/builtin/*/prose/en.toml": 5,
	"internal/course/builtin/*/stories/*.txt": 20, "scenarios/stories/*.txt": 60, "strategies/*.go": 20,
}

// english is a file with blanks in place of what nobody reads as English: all but captions,
// questions and reasons of a story, comments of code, and what a translation translates.
func english(name, text string) string {
	says := map[string]string{".txt": `^(#|predict |because |title )`, ".go": `//`, ".toml": ``}[filepath.Ext(name)]
	if strings.Contains(name, "/zh/") {
		says = `^"`
	}
	keep := regexp.MustCompile(says)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case !keep.MatchString(line) || strings.HasPrefix(line, "#zh"):
			lines[i] = ""
		case strings.HasSuffix(name, ".go"):
			_, lines[i], _ = strings.Cut(line, "//")
		case says == `^"`:
			lines[i], _, _ = strings.Cut(line, `" = "`)
		}
	}
	return strings.Join(lines, "\n")
}

// prosaic is a page with blanks in place of its code and of what a program
// printed into it.
func prosaic(text string) string {
	for _, code := range []string{"(?ms)^```.*?^```", "`[^`\n]*`", `(?s)<!-- run: .*?<!-- end of the run -->`, `(?s)<!-- matrix -->.*?<!-- end of the matrix -->`} {
		text = regexp.MustCompile(code).ReplaceAllStringFunc(text, blank)
	}
	return text
}

// blank is a text of the same lines without their words.
func blank(text string) string {
	return strings.Repeat("\n", strings.Count(text, "\n"))
}
