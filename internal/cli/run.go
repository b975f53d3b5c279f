package cli

import (
	"cmp"
	"context"

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
	cmd := withArgument("run STORY", lang.New("a story"), a.completeStory, func(cmd *cobra.Command, story string) error { return a.runStory(cmd, story, f) })
	takes(cmd, "plain", &f.plain, "json", &f.json, "at", &f.at, "strategy", &f.strategy, "redis", &f.redis, passwordFlag, &f.passwordFile,
		"zookeeper", &f.zookeeper)
	takes(cmd, "course", &a.courseAt)
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
		for _, s := range c.Stories {
			if s.Name == name {
				return s, nil
			}
		}
	}
	return findStory(ctx, name)
}

// setFlag is --set, for Story.With. A value can contain commas.
func setFlag(cmd *cobra.Command, settings *[]string) {
	cmd.Flags().StringArrayVar(settings, "set", nil, "")
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
		builtIn, _ := scenarios.Find(story.Name) // the rest, as a file or with --set, is opened again by its token
		return a.open(cmd.Context(), walkOptions{Story: story, At: max(f.at.value, 1), Nameless: story != builtIn})
	}
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
	t := a.transcript(ctx)
	t.story(s, lock, r, max(f.at.value, 1))
	return ctx.Err()
}
