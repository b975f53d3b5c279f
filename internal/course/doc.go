// Package course reads courses. A course is a folder: chapters in course.toml, stories
// and levels of its own, and what it says in each of its languages. builtin/ has the
// courses that come with the program, which are read by the same code.
//
// Open reads one from a folder, a zip or by name; Read from any fs.FS; Check plays it
// and holds it to what it says; New writes one. It draws nothing and knows no terminal.
package course
