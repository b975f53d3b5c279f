package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/course"
	"lockstep/internal/lang"
)

// openCourse reads the course of --course, once; nil if the flag names none.
func (a *app) openCourse() (*course.Course, error) {
	if a.courseAt == "" || a.course != nil {
		return a.course, nil
	}
	c, err := course.Open(a.courseAt)
	if err != nil {
		see := "lockstep list courses"
		if c != nil { // it is one, with a mistake in it
			see = "lockstep course check " + a.courseAt
		}
		return nil, &exitError{code: exitUsage, err: lang.Errorf("--course: %w", firstOf(err)), see: see}
	}
	a.course = c
	return c, nil
}

// firstOf is the first of errors that came joined.
func firstOf(err error) error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()[0]
	}
	return err
}

// languages are those in which the program and the course of --course can be read.
func (a *app) languages(known []string) ([]string, error) {
	c, err := a.openCourse()
	if err != nil || c == nil {
		return known, err
	}
	all := slices.Clone(known)
	for _, language := range c.Languages {
		if !slices.Contains(all, language) {
			all = append(all, language)
		}
	}
	return all, nil
}

// walkCourse opens the walkthrough on the course of --course.
func (a *app) walkCourse(ctx context.Context) error {
	return a.open(ctx, walkOptions{Course: a.course, CourseAt: a.courseAt, Present: a.present})
}

// listChapters is what --course shows where there is no terminal.
func (a *app) listChapters() {
	c := a.course
	a.say("%s", c.Title(a.lang))
	if about := c.About(a.lang); about != "" {
		a.say("")
		a.say("%s", about)
	}
	a.say("")
	a.say("Chapters:")
	for _, ch := range c.Chapters {
		title := c.Text(a.lang, ch.ID).Title
		if title == "" {
			title = a.book.Lock(ch.Lock).Name
		}
		a.say("  %-22s %s", ch.ID, title)
	}
}

// A courseRow is what list --json says of a course.
type courseRow struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Languages []string `json:"languages"`
	Chapters  int      `json:"chapters"`
	Minutes   int      `json:"minutes,omitempty"`
}

// courses are those that come with the program.
func (a *app) courses() (rows []courseRow, err error) {
	for _, id := range course.Names() {
		c, err := course.Named(id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, courseRow{c.ID, c.Title(a.lang), c.Languages, len(c.Chapters), c.Minutes})
	}
	return rows, nil
}

// completeCourse offers those, and folders.
func completeCourse(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var fit []string
	for _, id := range course.Names() {
		if len(id) >= len(word) && id[:len(word)] == word {
			fit = append(fit, id)
		}
	}
	if len(fit) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return fit, noFiles
}
