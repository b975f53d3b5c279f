// Package course reads courses. A course is a folder: chapters in course.toml,
// stories, levels, and texts in its languages. builtin/ holds the built-in
// courses, which the same code reads.
//
// Open reads a course from a folder, a zip or by name; Read from any fs.FS;
// Check plays it and checks its claims; New writes one; ExerciseFiles writes a
// lock to be mended.
package course
