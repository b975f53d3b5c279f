package scenarios

import "embed"

//go:embed README.md README.*.md
var manuals embed.FS

// Manual describes the language of stories, as Markdown that is also fit to be
// read as it is: in a language of people, in English where that has none.
func Manual(lang string) string { return InLanguage(manuals, lang) }

// InLanguage returns the README of a folder in a language, in English where it has
// none of that.
func InLanguage(manuals embed.FS, lang string) string {
	text, err := manuals.ReadFile("README." + lang + ".md")
	if err != nil {
		text, _ = manuals.ReadFile("README.md")
	}
	return string(text)
}
