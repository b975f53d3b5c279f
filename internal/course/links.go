package course

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// In texts, [words](target) is a link, and so is a URL by itself.
var (
	linked = regexp.MustCompile(`\[[^\]\n]*\]\(([^)\s]*)\)`)
	urls   = regexp.MustCompile(`\bhttps?:[^\s)>\]，。；）]*`)
)

// links finds broken links in the course's texts. A target is a URL, or # and
// the id of a chapter.
func (c *Course) links() (wrong []error) {
	for _, language := range slices.Sorted(maps.Keys(c.own)) {
		said := c.own[language]
		eachText(said.Texts, func(at, text string) {
			if len(wrong) >= maxMistakes {
				return
			}
			for _, err := range c.linksOf(text) {
				wrong = append(wrong, said.file.At(at, err))
			}
		})
	}
	return wrong
}

func (c *Course) linksOf(text string) (wrong []error) {
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		id, chapter := strings.CutPrefix(m[1], "#")
		switch {
		case len(m[1]) > maxLink:
			wrong = append(wrong, lang.Errorf("the link %q has %d bytes; at most %d fit", m[1], len(m[1]), maxLink))
		case chapter && !slices.Contains(c.chapterIDs(), id):
			wrong = append(wrong, lang.Errorf("the link %q leads to no chapter; %s", m[1], lang.Fit(id, c.chapterIDs())))
		case !chapter && !urls.MatchString(m[1]):
			wrong = append(wrong, lang.Errorf("the link %q leads nowhere; use a URL, or # and the id of a chapter", m[1]))
		}
	}
	for _, u := range urls.FindAllString(text, -1) {
		if len(u) > maxLink {
			wrong = append(wrong, lang.Errorf("the link %q has %d bytes; at most %d fit", u, len(u), maxLink))
		} else if at, err := url.Parse(u); err != nil || !strings.Contains(at.Host, ".") {
			wrong = append(wrong, lang.Errorf("%q is not a URL", u))
		}
	}
	return wrong
}

func (c *Course) chapterIDs() (ids []string) {
	for _, ch := range c.Chapters {
		ids = append(ids, ch.ID)
	}
	return ids
}
