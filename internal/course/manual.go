package course

import (
	"embed"

	"lockstep/scenarios"
)

//go:embed README.md README.*.md
var manuals embed.FS

// Manual returns the manual of the course format as Markdown, in English if the
// reader's language has none.
func Manual(lang string) string {
	return scenarios.InLanguage(manuals, lang)
}
