package cli

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/scenarios/prose"
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
