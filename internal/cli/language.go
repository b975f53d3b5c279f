package cli

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/prose"
)

// languageOf is the language that the environment asks for, as POSIX has it; the
// first that there is where it asks for none of ours.
func languageOf(getenv func(string) string) string {
	known := prose.Languages()
	if base := baseOf(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))); slices.Contains(known, base) {
		return base
	}
	return known[0]
}

// baseOf is the language of a locale or a tag: zh of zh_CN.UTF-8 and of zh-Hans.
func baseOf(locale string) string {
	end := strings.IndexAny(locale, "_-.@")
	if end < 0 {
		end = len(locale)
	}
	return strings.ToLower(locale[:end])
}

// spoken is the language in which a command line is answered, known before it is
// parsed, so that help and mistakes are in it too: that of its last --lang, or else
// the one given.
func spoken(args []string, lang string) string {
	known := prose.Languages()
	for i, arg := range args {
		said, ok := strings.CutPrefix(arg, "--lang=")
		switch {
		case arg == "--":
			return lang
		case arg == "--lang" && i+1 < len(args):
			said = args[i+1]
		case !ok:
			continue
		}
		if base := baseOf(said); slices.Contains(known, base) {
			lang = base
		}
	}
	return lang
}
