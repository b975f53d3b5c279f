// Package docs is the pages of this folder. Its tests hold what any page of the
// repository says against the repository.
package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// pages are all Markdown files, by their paths from the root of the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, e fs.DirEntry, err error) error {
		if e != nil && e.Name() == "node_modules" { // pages of others
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		out[name] = string(text)
		return err
	})
	if err != nil || len(out) < 10 {
		t.Fatalf("%d pages, %v", len(out), err)
	}
	return out
}

// unfenced is a page without what stands between fences.
func unfenced(text string) string {
	var out strings.Builder
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

var (
	code    = regexp.MustCompile("`[^`]*`")
	link    = regexp.MustCompile(`(?:\]\(| src(?:set)?=")([^)"\s]+)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// TestLinks: whatever a page links to, beyond the web, is there.
func TestLinks(t *testing.T) {
	all := pages(t)
	links := 0
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(unfenced(text), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			file, anchor, hasAnchor := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			} else if hasAnchor && !anchors(all[target])[anchor] {
				t.Errorf("%s links to %s, and %s has no such heading", name, m[1], target)
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d links", links)
	}
}

// anchors are the names that headings have in a link.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(unfenced(text), -1) {
		name := strings.ToLower(strings.ReplaceAll(m[1], " ", "-"))
		out[regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(name, "")] = true
	}
	return out
}

// TestPaths: a file or folder of the repository that a page names in code is
// there, from the root or from the page.
func TestPaths(t *testing.T) {
	entries := testkit.Must(os.ReadDir(".."))(t)
	folders := map[string]bool{}
	for _, e := range entries {
		folders[e.Name()] = e.IsDir()
	}
	looks := regexp.MustCompile("^`((?:\\./)?([\\w.-]+)/[\\w./*-]*)`$")
	paths := 0
	for name, text := range pages(t) {
		for _, word := range code.FindAllString(unfenced(text), -1) {
			m := looks.FindStringSubmatch(word)
			if m == nil || !folders[m[2]] || strings.Contains(m[1], "NAME") { // a placeholder
				continue
			}
			paths++
			if found, err := filepath.Glob(filepath.Join("..", m[1])); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", name, word)
			}
		}
	}
	if paths < 20 {
		t.Errorf("only %d paths", paths)
	}
}

// TestPagesInTexts: a page that a text of the program sends its reader to is there, and so is
// the heading that it quotes.
func TestPagesInTexts(t *testing.T) {
	all := pages(t)
	reference := regexp.MustCompile(`(?:"([^"]+)" in )?(docs/[\w/-]+\.md)(?: 的「([^」]+)」)?`)
	quoted := 0
	testkit.OK(t, fs.WalkDir(os.DirFS("../internal"), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".toml") {
			return err
		}
		text, err := os.ReadFile(filepath.Join("../internal", name))
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			page, ok := all[m[2]]
			if title := m[1] + m[3]; title != "" {
				quoted++
				ok = ok && anchors(page)[strings.ToLower(strings.ReplaceAll(title, " ", "-"))]
			}
			if !ok {
				t.Errorf("internal/%s sends its reader to %s, which is not there", name, m[0])
			}
		}
		return err
	}))
	if quoted == 0 {
		t.Error("no text quotes a heading")
	}
}
