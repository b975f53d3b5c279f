// Package cli is the command line: one file for each command, what they print,
// and the exit codes.
package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lockstep/internal/carried"
	"lockstep/internal/cli/noquery"
	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/internal/progress"
	"lockstep/internal/prose"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/program"
	"lockstep/sim/table"
	"lockstep/sim/world"
)

// All imported packages are initialised by now.
func init() { noquery.Restore() }

// quiet keeps go-redis from writing to stderr. Stories show what it warns of,
// such as a lease too short for EXPIRE.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() { world.OpenTable = table.Open }

// Main runs the process's command line and returns the exit code. source is Lockstep's
// source, as far as tests of locks need it.
func Main(source fs.FS) int {
	carried.Tree = source
	collect(400)
	redis.SetLogger(quiet{})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the process at once
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, again := until(ctx, hangup)
	defer again()
	return newApp(stdin, stdout, stderr).run(ctx, args)
}

// An app is a running command line: its streams, and the flags that all commands
// share.
type app struct {
	args           []string // the command line
	stdin          io.Reader
	stdout, stderr io.Writer
	progressAt     time.Time     // when progress was last shown; zero if none is
	progressAbove  int           // lines of it above the last
	showing        sync.Mutex    // no progress is shown while another holds it
	out            *bufio.Writer // buffers stdout
	terminal       bool          // the walkthrough can run
	walk           func(context.Context, walkOptions, io.Reader, io.Writer) error

	unwatch func() // stops the reports of stuck code

	spoken string      // the language of the command line
	book   *prose.Book // the texts in that language

	guests   []string                          // locks from outside the catalogue, by id
	guestsOf string                            // their package, as named on the command line
	suite    *trial.Suite                      // their tests; nil if there are none
	sourceOf func(file string) (string, error) // their source; nil if there are none
	turns    turns                             // keep apart guests of several packages that have the same id

	courseAt string         // the value of --course
	course   *course.Course // that course; nil without --course

	reset          bool   // forget the progress in the course
	lang           string // the value of --lang
	ascii, noColor bool
	still          bool // no animation
	noMouse        bool
	present        bool // open the walkthrough in presenter's mode
	theme          string
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{
		stdin: stdin, stdout: stdout, stderr: stderr, out: bufio.NewWriter(stdout), walk: walk,
		terminal: isTerminal(stdin) && isTerminal(stdout) && os.Getenv("TERM") != "dumb",
		lang:     languageOf(os.Getenv), theme: autoTheme,
	}
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

func (a *app) run(ctx context.Context, args []string) int {
	a.spoken = spoken(args, a.lang)
	a.book = prose.Load(a.spoken)
	a.unwatch = program.OnStuck(func(s program.Stuck, over bool) { // a lock's code does not reach the seam
		if !over {
			a.complain(lang.New("%s: %v; waiting a little longer", s.Lock, s))
		}
	})
	root := a.rootCommand()
	a.translate(root)
	each(root, a.completeFlags)
	each(root, refuseEmpty)
	a.args = args
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.unwatch()
	if unwritten := a.out.Flush(); err == nil {
		err = unwritten
	}
	return a.exit(ctx, args, err)
}

// interactive reports whether a command opens the walkthrough by default.
// LOCKSTEP_PLAIN counts with any value but the empty one, as NO_COLOR does.
func (a *app) interactive() bool { return a.terminal && os.Getenv("LOCKSTEP_PLAIN") == "" }

func (a *app) rootCommand() *cobra.Command {
	cobra.MousetrapHelpText = "" // on Windows, a double click opens the walkthrough
	root := &cobra.Command{
		Use: "lockstep",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.checkShared,
		RunE:              a.start,
	}
	root.Flags().BoolP("version", "v", false, "version for lockstep")
	root.SetIn(a.stdin)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%w", flagError(cmd, a.args, err)) })
	takesIn(root.PersistentFlags(),
		"lang", &a.lang, "ascii", &a.ascii, "no-color", &a.noColor, "no-mouse", &a.noMouse, "no-animation", &a.still)
	takes(root, "course", &a.courseAt, "reset-progress", &a.reset, "present", &a.present)
	takesIn(root.PersistentFlags(), "theme", &a.theme)
	root.AddCommand(a.listCommand(), a.showCommand(), a.runCommand(), a.replayCommand(), a.exportCommand(), a.exploreCommand(), a.huntCommand(),
		a.matrixCommand(), a.mergeCommand(), a.workerCommand(), a.testCommand(), a.checkCommand(), a.initCommand(), a.exerciseCommand(), a.courseCommand(), a.webCommand(), a.serveCommand(), a.workshopCommand(), a.cacheCommand(), withoutArguments("version", a.writeVersion))
	root.AddCommand( // topics of the help
		&cobra.Command{Use: "exit-codes"},
		&cobra.Command{Use: "stories", Long: asManual(scenarios.Manual(a.spoken))},
		&cobra.Command{Use: "courses", Long: asManual(course.Manual(a.spoken))})
	root.SetHelpCommand(helpCommand())
	refuseShells(root)
	return root
}

// start runs lockstep without a command.
func (a *app) start(cmd *cobra.Command, _ []string) error {
	if cmd.Flags().Changed("version") {
		return a.writeVersion(cmd)
	}
	if a.reset {
		return a.resetProgress()
	}
	if a.present || a.interactive() {
		return a.open(cmd.Context(), walkOptions{Course: a.course, CourseAt: lang.Typed(a.courseAt), Present: a.present})
	}
	if a.course != nil {
		a.listChapters()
		return nil
	}
	a.say("%s", a.book.Text("first_no_tty"))
	a.say("")
	a.list("locks", "stories")
	a.say("")
	a.say("%s", a.book.Text("next_steps_no_tty"))
	return nil
}

func (a *app) resetProgress() error {
	sure := true
	file, err := progress.Reset(progress.Dir(a.course), func(file string) bool {
		sure = !a.terminal || a.confirms(lang.New("Delete your progress, %s? Type y for yes:", file))
		return sure
	})
	if errors.Is(err, fs.ErrNotExist) {
		a.say("There is no progress to delete: %s", file)
		return nil
	}
	if err != nil {
		return lang.Errorf("--%s: %w", "reset-progress", err)
	}
	if sure {
		a.say("Deleted: %s", file)
	} else {
		a.say("Kept: %s", file)
	}
	return nil
}

// open opens the walkthrough with the shared flags.
func (a *app) open(ctx context.Context, o walkOptions) error {
	a.unwatch() // the walkthrough owns the screen
	o.Lang, o.ASCII = a.lang, a.ascii
	o.NoColor = a.noColor || os.Getenv("NO_COLOR") != ""
	o.NoAnimation = a.still || os.Getenv("LOCKSTEP_NO_ANIMATION") != ""
	o.NoMouse = a.noMouse || os.Getenv("LOCKSTEP_NO_MOUSE") != ""
	if o.Matrix == nil {
		matrix, err := a.wholeMatrix(screenJobs())
		if err != nil {
			return err
		}
		o.Matrix = matrix
	}
	o.Tour = true
	o.Source, o.With = a.sourceOf, a.guestsOf
	o.Background, o.AskBackground = background(a.theme, os.Getenv("COLORFGBG")), a.theme == autoTheme
	o.OnStuck = onStuck
	o.Explorer, o.Progress = matrix.Explorer(screenLimits), progress.In(progress.Dir(o.Course))
	o.Courses = courses()
	return a.walk(ctx, o, a.stdin, a.stdout)
}
