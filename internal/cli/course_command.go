package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lockstep/internal/course"
	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

func (a *app) courseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "course",
		Short: "Write and check a course of your own",
		Long: `A course is a folder of chapters, stories, levels and texts. Course new makes a
small one that runs; course check holds one to what it says; lockstep --course
opens it. lockstep help courses describes the format.`,
		Example: `  lockstep course new mine
  lockstep course check mine
  lockstep --course mine`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "%v is missing", lang.New("new or check"))
			}
			return usage(cmd, "%q is no command; %s would fit", args[0], lang.Fit(args[0], []string{"new", "check"}))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(a.courseNew(), a.courseCheck())
	return cmd
}

func (a *app) courseNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR",
		Short: "Make a small complete course in a new folder",
		Long: `New writes a course of two chapters, a story with a question, a level and texts
in English and Chinese into a folder that is new or empty. The comments in its
files say what else there is.`,
		Example:           `  lockstep course new mine`,
		Args:              exactly(lang.New("a folder")),
		ValidArgsFunction: first(completeFolder),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.newCourse(cmd, args[0])
		},
	}
}

func (a *app) newCourse(cmd *cobra.Command, dir string) error {
	if err := mustBeEmpty(cmd, dir); err != nil {
		return err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	all, err := course.New(course.IDOf(filepath.Base(whole)))
	if err != nil {
		return err
	}
	for _, f := range all {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := files.Write(to, []byte(f.Text), 0o644); err != nil {
			return err
		}
		a.say("%s", to)
	}
	a.say("")
	a.say("Next: lockstep --course %s opens it, and lockstep course check %s holds it to what it says.", dir, dir)
	return nil
}

func (a *app) courseCheck() *cobra.Command {
	var asJSON, update bool
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Hold a course to what it says",
		Long: `Check reads a course, from its folder, a zip or by its name, and tries all of it:
its stories are played and compared with what stands in their files, questions
with what the run says; what is to break a lock has to, and what fixes it has to
do better; levels are explored; texts that a language lacks, links that lead
nowhere and files that nothing names are listed.

With --update it writes what came of the stories into their files.

A file that cannot be read is 2, as in lockstep test; anything else that is wrong
is 1.`,
		Example: `  lockstep course check mine
  lockstep course check mine --update
  lockstep course check mine.zip --json`,
		Args:              exactly(lang.New("a course")),
		ValidArgsFunction: first(completeCourse),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.checkCourse(cmd, args[0], asJSON, update)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&update, "update", false, "write the output that came into the files")
	return cmd
}

// parOfLevel is what the explorer knows of a level, for course.Check.
func parOfLevel(ctx context.Context, l *scenarios.Level) (par int, known bool, err error) {
	p, err := matrix.Explorer(screenLimits, screenJobs()).Shortest(ctx, l)
	return len(p.Schedule), err == nil && (p.Limit == "" || p.Shortest), err
}

func (a *app) checkCourse(cmd *cobra.Command, where string, asJSON, update bool) error {
	files, closes, err := course.Files(where)
	if err != nil {
		return &exitError{code: exitUsage, err: err, see: "lockstep list courses"}
	}
	defer closes()
	if info, err := os.Stat(where); update && (err != nil || !info.IsDir()) {
		return usage(cmd, "--update writes into a folder, which %s is not", where)
	}
	o := course.Options{Par: parOfLevel, Update: update}
	if isTerminal(a.stderr) {
		o.Tell = func(done string) { a.progressLine(lang.New("%s: %s", "course check", done)) }
	}
	r, err := course.Check(cmd.Context(), files, where, o)
	if o.Tell != nil {
		a.eraseProgress()
	}
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

// checked is the exit of a check: what could not be read was not checked.
func checked(where string, r *course.Report) error {
	for _, p := range r.Problems {
		if p.Kind == course.Unread {
			return &exitError{code: exitUsage, err: lang.Errorf("%s: mistakes: %d, and some of it could not be read", where, len(r.Problems))}
		}
	}
	if len(r.Problems) > 0 {
		return unexpected(lang.Errorf("%s: mistakes: %d", where, len(r.Problems)))
	}
	return nil
}

// A checkedCourse is the answer of course check --json.
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
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
