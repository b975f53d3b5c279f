package course

import (
	"embed"

	"lockstep/scenarios"
)

//go:embed README.md README.*.md
var manuals embed.FS

// Manual describes the format of a course, as scenarios.Manual does the language of
// stories.
func Manual(lang string) string {
	return scenarios.InLanguage(manuals, lang)
}
