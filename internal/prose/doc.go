// Package prose holds what a learner reads about locks, invariants, hazards
// and terms, and the labels of the terminal program. The captions of a story
// are not here: they stand in the story itself.
//
// The text is data: one folder per language, en first, with the files
// locks.toml, course.toml, invariants.toml, hazards.toml, levels.toml, terms.toml and ui.toml, and
// history.toml, which has what package history says in English. To add a
// language, add a folder; a file, a table or a field that it lacks falls back
// to English. What the code itself says - errors, what the commands print - is
// English there, and for other languages in messages.toml, or in help_messages.toml where a
// browser never says it. Mistakes in the data are errors of Load.
//
//	book, err := prose.Load("zh")
//	...
//	fmt.Println(book.Lock("set-lua").Breaks)
//
// Start with en/locks.toml, then Book.
package prose
