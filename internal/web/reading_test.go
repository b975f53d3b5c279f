package web

import (
	"encoding/xml"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/strategies"
)

// TestReading: without JavaScript the first page says in each language what this is, has a
// picture, each lock with what it claims, and links only to files that there are; the pages of
// runs lead back to the site, and name no command.
func TestReading(t *testing.T) {
	c := course.Named("redis-locks-in-an-hour")
	site := Site{}
	for _, language := range prose.Languages() {
		testkit.OK(t, site.takeReading(t.Context(), c, language))
	}
	links := regexp.MustCompile(`(?:href|src)="([^"#]*\.(?:html|svg))`)
	for _, language := range prose.Languages() {
		book := prose.Load(language)
		page := html.UnescapeString(string(site[first(language)]))
		want := []string{`<html lang="` + language + `">`, `<meta name="description" content="` + book.Text("lead") + `">`, `og:description`, "<strong>" + book.Text("lead") + "</strong>"}
		for _, lock := range strategies.Catalogue() {
			want = append(want, `<dt id="`+lock.ID+`">`, book.Lock(lock.ID).Name, book.Lock(lock.ID).Claims)
		}
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: no %q", language, text)
			}
		}
		if n := strings.Count(page, ".html\""); n < 10 {
			t.Errorf("%s: %d links", language, n)
		}
		wellFormed := xml.NewDecoder(strings.NewReader(string(site[language+".svg"])))
		var err error
		for err == nil {
			_, err = wellFormed.Token()
		}
		if err != io.EOF {
			t.Errorf("%s: the picture: %v", language, err)
		}
	}
	for name, text := range site {
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			if site[m[1]] == nil && m[1] != "style.css" {
				t.Errorf("%s leads to %s, which is not there", name, m[1])
			}
		}
		if strings.Contains(string(text), "lockstep replay") || strings.HasSuffix(name, ".en.html") && !strings.Contains(string(text), `href="index.html#ls1.`) {
			t.Errorf("%s names a command, or has no way to the site", name)
		}
	}
}
