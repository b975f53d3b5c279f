package workshop_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

// words reads the texts of the pages in a language.
func words(t *testing.T, lang string) map[string]string {
	t.Helper()
	text := testkit.Must(os.ReadFile("static/words." + lang + ".json"))(t)
	var all map[string]string
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("words.%s.json: %v", lang, err)
	}
	return all
}

// files reads the static files with an extension, by name.
func files(t *testing.T, ext string) map[string]string {
	t.Helper()
	names, err := filepath.Glob("static/*" + ext)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files *%s, %v", ext, err)
	}
	all := map[string]string{}
	for _, name := range names {
		text := testkit.Must(os.ReadFile(name))(t)
		all[filepath.Base(name)] = string(text)
	}
	return all
}

var (
	value   = regexp.MustCompile(`\{\w+\}`)
	inCode  = regexp.MustCompile(`\bw\("(\w+)"`)
	inPages = regexp.MustCompile(`data-(?:w|label)="(\w+)"`)
)

// TestWords: every text exists in every language, with the same values in it, and is used.
func TestWords(t *testing.T) {
	used := map[string]bool{}
	for ext, pattern := range map[string]*regexp.Regexp{".js": inCode, ".html": inPages} {
		for _, text := range files(t, ext) {
			for _, found := range pattern.FindAllStringSubmatch(text, -1) {
				used[found[1]] = true
			}
		}
	}
	if len(used) < 50 {
		t.Fatalf("only %d texts are used", len(used))
	}
	english := words(t, "en")
	for _, lang := range prose.Languages() {
		all := words(t, lang)
		for _, key := range slices.Sorted(maps.Keys(used)) {
			if all[key] == "" {
				t.Errorf("%s: no text %s", lang, key)
			}
		}
		for key, text := range all {
			if !used[key] {
				t.Errorf("%s: nothing uses %s", lang, key)
			}
			want, got := value.FindAllString(english[key], -1), value.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %s has the values %v, not %v", lang, key, got, want)
			}
		}
	}
}

// TestPagesTakeTextOnly: nothing that others have written can become an element or code.
func TestPagesTakeTextOnly(t *testing.T) {
	for name, text := range files(t, ".js") {
		for _, never := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if strings.Contains(text, never) {
				t.Errorf("%s has %s", name, never)
			}
		}
	}
	inline := regexp.MustCompile(`\s(?:style|on\w+)=|<style|<script>`)
	for name, text := range files(t, ".html") {
		if !strings.Contains(text, `content="default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';`) {
			t.Errorf("%s does not confine its scripts and requests to its own server", name)
		}
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
}
