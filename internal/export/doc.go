// Package export turns a run, and what is told of it, into files to hand out: a
// page, a picture, Markdown, a Mermaid diagram, a recording of a terminal.
//
// It knows no terminal and reads no file. NewLesson makes a Lesson of what a
// story has led to, in one language; every format is a pure function from that
// value to bytes, the same for the same run. What a run or a story contains may be
// anything: each format escapes it in one place of its own.
//
// Start with Lesson in lesson.go and Formats in formats.go.
package export
