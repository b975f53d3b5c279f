package cli

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/matrix"
	"lockstep/internal/pieces"
	"lockstep/internal/progress"
	"lockstep/sim/program"
	"lockstep/tui"
	"lockstep/tui/pages"
)

type walkOptions = tui.Options

// walk opens the walkthrough and returns when the user leaves it. Only signals
// cancel ctx, and Bubble Tea catches them too. Its signal handler would wait for
// ever if the cancellation stopped the program first, so the walkthrough does not
// see it.
func walk(ctx context.Context, o walkOptions, in io.Reader, out io.Writer) error {
	until, again := until(context.WithoutCancel(ctx), deadly)
	err := tui.Run(until, o, in, out)
	again()
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return context.Canceled // Bubble Tea takes a SIGTERM for a wish to quit
	}
	return err
}

// onStuck informs the walkthrough about code that does not reach the seam.
func onStuck(tell func(s pages.Stuck, over bool)) (stop func()) {
	return program.OnStuck(func(s program.Stuck, over bool) {
		client := s.Client
		if s.Task != "" {
			client += " " + s.Task
		}
		tell(pages.Stuck{Lock: s.Lock, Client: client, Op: s.Op, Action: s.Action, Place: s.Place}, over)
	})
}

// screenLimits bounds the walkthrough's searches.
var screenLimits = matrix.Limits(int(memoryFlag()))

// screenJobs leaves one of several processors to the screen.
func screenJobs() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// wholeMatrix is the walkthrough's matrix, of which so many locks are computed at a time.
func (a *app) wholeMatrix(jobs int) (*pages.Matrix, error) {
	ids, err := a.matrixLocks(nil)
	if err != nil {
		return nil, err
	}
	job := pieces.Job{Locks: ids, Hazards: hazardIDs()}
	locks, hazards, err := job.Axes()
	if err != nil {
		return nil, err
	}
	shelf, err := a.openCache(false, true) // a cell is played when it is opened
	if err != nil {
		return nil, err
	}
	return matrix.Matrix(locks, hazards, screenLimits, jobs, shelf), nil
}

// autoTheme is the --theme of the terminal's own background.
const autoTheme = "auto"

// themes are the values of --theme.
var themes = []string{autoTheme, "dark", "light"}

// background is the terminal's background, dark or light, from a flag or else
// from COLORFGBG; "" if unknown. Many terminals set COLORFGBG to the colours, of
// 16, of text and background. The terminal's own answer, if it comes, replaces it.
func background(theme, colours string) string {
	if theme != autoTheme {
		return theme
	}
	behind, err := strconv.Atoi(colours[strings.LastIndexByte(colours, ';')+1:])
	switch {
	case err != nil || behind < 0 || behind > 15:
		return ""
	case behind < 7 || behind == 8:
		return "dark"
	}
	return "light"
}

// courses are those that come with the program, each with its own progress.
func courses() (list []pages.Choice) {
	for _, id := range course.Names() {
		at := id
		if id == course.Builtin {
			at = ""
		}
		list = append(list, pages.Choice{At: at, Open: func() (*course.Course, *progress.Store) {
			c := course.Named(id)
			return c, progress.In(progress.Dir(c))
		}})
	}
	return list
}
