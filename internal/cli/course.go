package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// openCourse reads the course of --course once. It returns nil without the flag.
func (a *app) openCourse() (*course.Course, error) {
	if a.courseAt == "" || a.course != nil {
		return a.course, nil
	}
	c, err := course.Open(a.courseAt)
	if err != nil {
		see := "lockstep list courses"
		if c != nil { // it is a course with a mistake
			see = "lockstep course check " + lang.Typed(a.courseAt)
		}
		return nil, refused(lang.Errorf("--course: %w", firstOf(err)), see)
	}
	a.course = c
	return c, nil
}

// firstOf returns the first of joined errors.
func firstOf(err error) error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()[0]
	}
	return err
}

// languages lists the languages of the program and of the course of --course.
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

// listChapters prints the course of --course where there is no terminal.
func (a *app) listChapters() {
	c := a.course
	a.say("%s", c.Title(a.lang))
	if about := c.About(a.lang); about != "" {
		a.say("")
		a.sayLines(about)
	}
	a.say("")
	a.say("Chapters:")
	for _, ch := range c.Chapters {
		a.say("  %-22s %s", ch.ID, cmp.Or(c.Text(a.lang, ch.ID).Title, a.book.Lock(ch.Lock).Name))
	}
}

// A courseRow is a course in list --json.
type courseRow struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Languages []string `json:"languages"`
	Chapters  int      `json:"chapters"`
	Minutes   int      `json:"minutes,omitempty"`
}

// courses lists the courses that come with the program.
func (a *app) courses() (rows []courseRow) {
	for _, id := range course.Names() {
		c := course.Named(id)
		rows = append(rows, courseRow{c.ID, c.Title(a.lang), c.Languages, len(c.Chapters), c.Minutes})
	}
	return rows
}

// completeCourse offers built-in courses and folders.
func completeCourse(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var fit []string
	for _, id := range course.Names() {
		if strings.HasPrefix(id, word) {
			fit = append(fit, id)
		}
	}
	if len(fit) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return fit, noFiles
}

func (a *app) courseCommand() *cobra.Command {
	return group("course", withArgument("new DIR", lang.New("a folder"), completeFolder, a.newCourse), a.courseCheck())
}

func (a *app) newCourse(cmd *cobra.Command, dir string) error {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := a.fill(cmd, dir, course.New(course.IDOf(filepath.Base(whole)))); err != nil {
		return err
	}
	a.say("Next: lockstep --course %s opens it, and lockstep course check %s checks it.", lang.Typed(dir), lang.Typed(dir))
	return nil
}

func (a *app) courseCheck() *cobra.Command {
	var asJSON, update bool
	cmd := withArgument("check DIR", lang.New("a course"), completeCourse, func(cmd *cobra.Command, where string) error {
		return a.checkCourse(cmd, where, asJSON, update)
	})
	takes(cmd, "json", &asJSON, "update", &update)
	return cmd
}

// parOfLevel explores a level for course.Check.
func parOfLevel(ctx context.Context, l *scenarios.Level) (par int, known bool, err error) {
	p, err := matrix.Explorer(screenLimits)(ctx, l)
	return len(p.Schedule), err == nil && (p.Limit == "" || p.Shortest), err
}

func (a *app) checkCourse(cmd *cobra.Command, where string, asJSON, update bool) error {
	files, closes, err := course.Files(where)
	if err != nil {
		return refused(err, "lockstep list courses")
	}
	defer closes()
	if info, err := os.Stat(where); update && (err != nil || !info.IsDir()) {
		return usage(cmd, "--update writes into a folder, which %s is not", where)
	}
	o := course.Options{Par: parOfLevel, Update: update}
	o.Tell = func(done string) { a.progressLine(lang.New("%s: %s", "course check", done)) }
	r, err := course.Check(cmd.Context(), files, where, o)
	a.eraseProgress()
	if err != nil {
		return err
	}
	if asJSON {
		if err := a.printCheck(r); err != nil {
			return err
		}
	} else {
		for _, file := range r.Updated {
			a.say("new  %s", file)
		}
		for _, p := range r.Problems {
			a.say("FAIL %v", history.Briefly{Err: p.Err})
		}
		if len(r.Problems) == 0 {
			c := r.Course
			a.say("ok   %s", lang.New("%s: chapters: %d; stories of its own: %d; levels of its own: %d; languages: %s", where, len(c.Chapters), len(c.Stories), len(c.Levels), lang.Names(c.Languages)))
		}
	}
	return checked(where, r)
}

// checked is the exit code of a check. A file that cannot be read counts as not
// checked.
func checked(where string, r *course.Report) error {
	for _, p := range r.Problems {
		if p.Kind == course.Unread {
			return refused(lang.Errorf("%s: mistakes: %d, and some of it could not be read", where, len(r.Problems)), "")
		}
	}
	if len(r.Problems) > 0 {
		return unexpected(lang.Errorf("%s: mistakes: %d", where, len(r.Problems)))
	}
	return nil
}

// A checkedCourse is the output of course check --json.
type checkedCourse struct {
	Schema   int             `json:"schema"`
	Course   string          `json:"course"`
	Passes   bool            `json:"passes"`
	Chapters int             `json:"chapters"`
	Stories  int             `json:"stories"`
	Levels   int             `json:"levels"`
	Updated  []string        `json:"updated,omitempty"`
	Problems []courseProblem `json:"problems,omitempty"`
}

type courseProblem struct {
	Kind    string `json:"kind"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

func (a *app) printCheck(r *course.Report) error {
	c := r.Course
	out := checkedCourse{1, c.ID, len(r.Problems) == 0, len(c.Chapters), len(c.Stories), len(c.Levels), r.Updated, nil}
	for _, p := range r.Problems {
		row := courseProblem{Kind: p.Kind, Message: p.Err.Error()}
		var placed *lang.Placed
		if errors.As(p.Err, &placed) {
			row = courseProblem{p.Kind, placed.Path, placed.Line, placed.Col, placed.Err.Error()}
		}
		out.Problems = append(out.Problems, row)
	}
	return a.object(out, "  ")
}
