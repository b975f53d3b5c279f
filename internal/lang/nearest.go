package lang

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxNearest = 3  // how many suggestions an error makes
	maxListed  = 12 // names that are still read; of more, an error lists some
	someListed = 6
)

// Fit is the end of an error about a name that is not known: it asks for those that come
// near, or else names all of them or, of very many, some.
func Fit(read string, known []string) Message {
	if near := Nearest(read, known); len(near) > 0 {
		return New("did you mean %s?", Names(near))
	}
	if len(known) <= maxListed {
		return New("use %s", Names(known))
	}
	return New("use %s and %d more", Names(known[:someListed]), len(known)-someListed)
}

// Nearest returns the known names that a misspelt one may stand for, the
// likeliest first: names that contain it, and names few edits away.
func Nearest(read string, known []string) []string {
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
		if edits <= max(2, len(name)/3) && edits < len(name) && !slices.Contains(all, candidate{name, edits}) {
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

// Names is a list of what is the same in every language, such as ids.
func Names(names []string) Message {
	of := make([]any, len(names))
	for i, name := range names {
		of[i] = Quote(name)
	}
	return Items(of...)
}

// Few is Names of the first few, and how many more there are.
func Few(names []string, few int) Message {
	more := len(names) - few
	if more <= 0 {
		return Names(names)
	}
	return Items(Names(names[:few]), New("%d more", more))
}

// Items is a list of things of one kind: each language has its own mark between them.
func Items(of ...any) Message {
	if len(of) == 0 {
		return Message{}
	}
	all := New("%s", of[0])
	for _, one := range of[1:] {
		all = New("%s, %s", all, one)
	}
	return all
}
