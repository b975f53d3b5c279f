package history

import (
	"slices"

	"lockstep/internal/lang"
)

// endings are operations, and how they come back, for the translations.
var endings = []lang.Word{
	"acquire", "release", "update",
	"acquire -> acquired", "acquire -> refused", "release -> released", "release -> lost", "update -> updated", "update -> refused",
}

// ended is how an operation came back.
func ended(e Event) lang.Message {
	said := lang.Word(e.Op + " -> " + e.Outcome)
	if slices.Contains(endings, said) {
		return lang.New("%s", said)
	}
	return lang.Quote(string(said))
}
