package scenarios

import "embed"

//go:embed README.md README.*.md
var manuals embed.FS

// Manual describes the language of stories, as Markdown that is also fit to be
// read as it is: in a language of people, in English where that has none.
func Manual(lang string) string {
	text, err := manuals.ReadFile("README." + lang + ".md")
	if err != nil {
		text, _ = manuals.ReadFile("README.md")
	}
	return string(text)
}
