package cli

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest is how many suggestions an error makes.
const maxNearest = 3

// nearest returns the known names that a misspelt one may stand for, the
// likeliest first: names that contain it, and names few edits away.
func nearest(read string, known []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	read = plainName(read)
	var all []candidate
	for _, name := range known {
		edits := distance(read, plainName(name))
		if len(read) >= 3 && strings.Contains(plainName(name), read) {
			edits = 1
		}
		if edits <= max(2, len(name)/3) && edits < len(name) {
			all = append(all, candidate{name, edits})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var names []string
	for _, c := range all[:min(maxNearest, len(all))] {
		names = append(names, c.name)
	}
	return names
}

// plainName makes names alike that differ only in case and in their dashes.
func plainName(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(s))
}

// distance is Levenshtein's: how many runes to insert, delete or replace.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	if len(a) > 100 { // no name is that long
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			edits := diagonal
			if a[i] != b[j] {
				edits = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], edits
		}
	}
	return row[len(b)]
}
