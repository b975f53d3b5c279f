package course

import "embed"

//go:embed README.md README.*.md
var manuals embed.FS

// Manual describes the format of a course, as scenarios.Manual does the language of
// stories.
func Manual(lang string) string {
	text, err := manuals.ReadFile("README." + lang + ".md")
	if err != nil {
		text, _ = manuals.ReadFile("README.md")
	}
	return string(text)
}
