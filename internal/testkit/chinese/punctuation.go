package chinese

import (
	"fmt"
	"regexp"
	"strings"
)

const han = `\p{Han}`

// rules are forbidden patterns, with what is wrong in them.
var rules = []struct {
	bad *regexp.Regexp
	is  string
}{
	{regexp.MustCompile(han + `\s*[,:;?!()]|[,;?!()]\s*` + han + `|:\s+` + han + `|` + han + `\.($|\s|` + han + `)`), "half-width punctuation"},
	{regexp.MustCompile(han + `[A-Za-z0-9]|[A-Za-z0-9]` + han), "no space between Han and Latin"},
	{regexp.MustCompile(`[，。：；？！（「」、] +\S|\S +[，。：；？！（）」、]`), "a space beside full-width punctuation"},
	{regexp.MustCompile(`[，。：；？！、]{2,}`), "two marks in a row"},
	{regexp.MustCompile(`是是|的的|了了|在在|有有|不不|和和|把把|被被|就就|而而|它它`), "a word said twice"},
	{regexp.MustCompile(han + `\s+` + han), "a space between Han"},
}

var (
	field = regexp.MustCompile(`\{\{[^}]*\}\}`)
	code  = regexp.MustCompile("`[^`]*`")
)

// Punctuation lists mistakes in the form of a text or a template.
func Punctuation(text string) (wrong []string) {
	text = filled(text)
	for _, r := range rules {
		if at := r.bad.FindStringIndex(text); at != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %q", r.is, text[at[0]:at[1]]))
		}
	}
	return wrong
}

// filled replaces code by a name and each field by a mark, whose value is unknown.
func filled(text string) string {
	text = code.ReplaceAllString(text, "X")
	return field.ReplaceAllStringFunc(text, func(f string) string {
		for _, control := range []string{"{{if", "{{with", "{{else", "{{end"} {
			if strings.HasPrefix(f, control) {
				return ""
			}
		}
		return "○"
	})
}
