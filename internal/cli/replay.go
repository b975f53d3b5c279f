package cli

import (
	"cmp"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

func (a *app) replayCommand() *cobra.Command {
	var plain, asJSON, failing, walked bool
	cmd := withArgument("replay TOKEN", lang.New("a token"), cobra.NoFileCompletions, func(cmd *cobra.Command, token string) error {
		if walked {
			return a.walkReplay(cmd, token)
		}
		return a.replay(cmd, token, asJSON, failing)
	})
	takes(cmd, "plain", &plain, "json", &asJSON, "fail-on-violation", &failing, "walk", &walked)
	a.takesGuests(cmd)
	return cmd
}

// walkReplay opens the walkthrough on a token.
func (a *app) walkReplay(cmd *cobra.Command, token string) error {
	if scenarios.IsLesson(token) {
		l, err := a.lesson(cmd, token)
		if err != nil {
			return err
		}
		return a.open(cmd.Context(), walkOptions{Story: l.Story, At: l.At, Nameless: true})
	}
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	return a.walkRun(cmd, config, schedule)
}

// walkRun opens the walkthrough on a schedule.
func (a *app) walkRun(cmd *cobra.Command, config history.Config, schedule history.Schedule) error {
	story, err := await(cmd.Context(), func() (*scenarios.Story, error) {
		return scenarios.FromSchedule(cmd.Context(), "a_token", config, schedule)
	})
	if err != nil {
		return unplayed(cmd, err)
	}
	return a.open(cmd.Context(), walkOptions{Story: story, At: 1, Nameless: true})
}

// unplayed is the error for a token that cannot be played: it does not match
// this program, or the lock's code gets stuck.
func unplayed(cmd *cobra.Command, err error) error {
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		return unexpected(lang.Errorf("replay: %w", err))
	}
	return usage(cmd, "replay token: it does not fit this program: %w", err)
}

func (a *app) replay(cmd *cobra.Command, token string, asJSON, failing bool) error {
	if scenarios.IsLesson(token) {
		return a.replayLesson(cmd, token, asJSON, failing)
	}
	result, err := replayed(cmd, token)
	if err != nil {
		return err
	}
	if asJSON {
		err = history.WriteJSON(a.out, result.History)
	} else {
		t := a.transcript(cmd.Context())
		t.replay(result)
		err = t.ctx.Err()
	}
	return cmp.Or(err, failed(result, failing))
}

// replayed plays a token.
func replayed(cmd *cobra.Command, token string) (*scenarios.Result, error) {
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return nil, usage(cmd, "%w", err)
	}
	result, err := await(cmd.Context(), func() (*scenarios.Result, error) {
		return scenarios.Replay(cmd.Context(), config, schedule)
	})
	if err != nil {
		return nil, unplayed(cmd, err)
	}
	return result, nil
}

// failed is the error of a replay with --fail-on-violation.
func failed(result *scenarios.Result, failing bool) error {
	if failing && len(result.Violations) > 0 {
		return unexpected(lang.Errorf("replay: %v", scenarios.Verdict(result.Violations[0])))
	}
	if failing && !result.Undecided.None() {
		return unexpected(lang.Errorf("replay: %v", result.Undecided))
	}
	return nil
}

// lesson reads a lesson's token and switches to its language, unless --lang is
// given.
func (a *app) lesson(cmd *cobra.Command, token string) (scenarios.Lesson, error) {
	l, err := scenarios.ParseLesson(token)
	if err != nil {
		return l, usage(cmd, "%w", err)
	}
	if slices.Contains(prose.Languages(), l.Lang) && !cmd.Flags().Changed("lang") {
		a.lang = l.Lang
		a.book = prose.Load(l.Lang)
	}
	return l, nil
}

// replayLesson prints a lesson as run prints a story.
func (a *app) replayLesson(cmd *cobra.Command, token string, asJSON, failing bool) error {
	l, err := a.lesson(cmd, token)
	if err != nil {
		return err
	}
	result, err := play(cmd.Context(), l.Story, l.Story.Strategy())
	if err != nil {
		return err
	}
	if err := a.printRun(cmd.Context(), l.Story, l.Story.Strategy(), result, runFlags{json: asJSON}); err != nil {
		return err
	}
	return failed(result, failing)
}
