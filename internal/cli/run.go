package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

type runFlags struct {
	plain, json bool
	at          count
	strategy    string
	redis       string // the address of a real server; "" for the simulated one
	zookeeper   string // "start", likewise
	set         []string

	passwordFile string // the file with its password
}

const passwordFlag = "redis-password-file"

func (a *app) runCommand() *cobra.Command {
	f := runFlags{at: stepNumber()}
	cmd := &cobra.Command{
		Use:   "run STORY",
		Short: "Play a story",
		Long: `Run opens the walkthrough on a story, or prints the story as plain text if there
is no terminal. STORY is a name from lockstep list, or your own file whose name
ends in .txt.

The exit code is 1 if the run differs from the story's expected output. --strategy
plays the story against another lock, as plain text, without expected output.
--set changes the world line, and the run is still compared.

--redis plays the story on a real Redis server, command by command, and compares
with the same run in the world: exit code 1 if anything differs. ADDR is start, for
new servers, which need redis-server on the PATH and end with the run. Or it is the
address of an empty database: host:port, redis://user@host:port/db, the path of a
unix socket, or unix://user@/path?db=N. The keys of the run are deleted there at
the end. The password comes from REDISCLI_AUTH, as for redis-cli, or from a file
that only you can read.

--zookeeper start does the same for a lock on ZooKeeper, request by request, on
a new server, which needs java on the PATH and ZooKeeper as Debian packages it.`,
		Example: `  lockstep run a_crash_between_setnx_and_expire
  lockstep run a_crash_between_setnx_and_expire --at 3
  lockstep run a_crash_between_setnx_and_expire --strategy set-lua --plain
  lockstep run fencing_refuses_the_stale_write --set store=sql --plain
  lockstep run ./my_story.txt --json
  lockstep run a_late_del --redis start
  lockstep run a_late_del --redis redis://user@localhost:6379/9 --redis-password-file ~/.redis-password
  lockstep run ./my_story.txt --zookeeper start`,
		Args:              exactly(lang.New("a story")),
		ValidArgsFunction: first(a.completeStory),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runStory(cmd, args[0], f)
		},
	}
	cmd.Flags().BoolVar(&f.plain, "plain", false, "print a transcript, one fact per line")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the history as JSON lines")
	cmd.Flags().Var(&f.at, "at", "begin at step `N`")
	cmd.Flags().StringVar(&f.strategy, "strategy", "", "play the story against another `LOCK`")
	cmd.Flags().StringVar(&f.redis, "redis", "", "play the story on the real server at `ADDR`")
	cmd.Flags().StringVar(&f.passwordFile, passwordFlag, "", "read the real server's password from `FILE`")
	cmd.Flags().StringVar(&f.zookeeper, "zookeeper", "", "play the story on a real ZooKeeper: `start`")
	complete(cmd, "strategy", a.completeLock)
	complete(cmd, "zookeeper", fixed([]string{ownServer}))
	complete(cmd, "redis", fixed([]string{ownServer}))
	cmd.Flags().StringVar(&a.courseAt, "course", "", "find the story in this course: its `FOLDER`, a zip of it, or the name of one that comes with Lockstep")
	complete(cmd, "course", completeCourse)
	setFlag(cmd, &f.set)
	a.takesGuests(cmd)
	return cmd
}

// storyOf returns a story of the course of --course, or else the one that findStory
// finds.
func (a *app) storyOf(ctx context.Context, name string) (*scenarios.Story, error) {
	c, err := a.openCourse()
	if err != nil {
		return nil, err
	}
	if c != nil {
		if i := slices.IndexFunc(c.Stories, func(s *scenarios.Story) bool { return s.Name == name }); i >= 0 {
			return c.Stories[i], nil
		}
	}
	return findStory(ctx, name)
}

// setFlag is --set, for Story.With. A value can contain commas.
func setFlag(cmd *cobra.Command, settings *[]string) {
	cmd.Flags().StringArrayVar(settings, "set", nil, "change the world by `NAME=VALUE`, such as store=sql; may be given more than once")
	complete(cmd, "set", cobra.NoFileCompletions)
}

func (a *app) runStory(cmd *cobra.Command, name string, f runFlags) error {
	story, err := a.storyOf(cmd.Context(), name)
	if err != nil {
		return err
	}
	if story, err = story.With(f.set...); err != nil {
		return usage(cmd, "--set: %w", err)
	}
	if f.at.value > len(story.Steps) {
		return usage(cmd, "--at %d: the story has %d steps", f.at.value, len(story.Steps))
	}
	lock := cmp.Or(f.strategy, story.Strategy())
	if err := a.knowLock(lock); f.strategy != "" && err != nil {
		return err
	}
	if f.redis != "" || f.zookeeper != "" {
		return a.runLive(cmd, story, lock, f)
	}
	// The walkthrough plays a story only with its own lock.
	if !f.json && !f.plain && lock == story.Strategy() && a.interactive() {
		return a.open(cmd.Context(), walkOptions{Story: story, At: max(f.at.value, 1)})
	}
	defer alone()()
	result, err := play(cmd.Context(), story, lock)
	if err != nil {
		return err
	}
	if err := a.printRun(cmd.Context(), story, lock, result, f); err != nil {
		return err
	}
	if lock == story.Strategy() {
		return compare(story, result)
	}
	return nil
}

// play runs a story against a lock. A step that cannot be taken is an unexpected
// outcome.
func play(ctx context.Context, s *scenarios.Story, lock string) (*scenarios.Result, error) {
	result, err := await(ctx, func() (*scenarios.Result, error) {
		if lock == s.Strategy() {
			return scenarios.Run(ctx, s)
		}
		return scenarios.RunAgainst(ctx, s, lock)
	})
	if err != nil && ctx.Err() == nil {
		err = unexpected(err)
	}
	return result, err
}

func compare(s *scenarios.Story, r *scenarios.Result) error {
	if mismatch := r.Mismatch(s); mismatch != nil {
		return unexpected(mismatch)
	}
	if wrong := r.Mispredicted(s); wrong != nil {
		return unexpected(wrong)
	}
	return nil
}

func (a *app) printRun(ctx context.Context, s *scenarios.Story, lock string, r *scenarios.Result, f runFlags) error {
	if f.json {
		return history.WriteJSON(a.out, r.History)
	}
	t := transcript{app: a, ctx: ctx, told: map[string]bool{}}
	t.story(s, lock, r, max(f.at.value, 1))
	return ctx.Err()
}
