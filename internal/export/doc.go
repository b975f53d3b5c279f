// Package export writes a run and its explanation as a page, a picture,
// Markdown, a Mermaid diagram, or a recording of a terminal. It reads no file.
//
// NewLesson makes a Lesson of a story's result in one language. Each format is a
// pure function from a Lesson to bytes. A run or a story can contain any text;
// each format escapes it in one place.
//
// Start with Lesson and Formats in lesson.go.
package export
