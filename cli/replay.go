package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"lockstep/message"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

func (a *app) replayCommand() *cobra.Command {
	var plain, asJSON, failing, walked bool
	cmd := &cobra.Command{
		Use:   "replay TOKEN",
		Short: "Play a run again from its token",
		Long: `Replay plays the run that a token holds: a configuration and a schedule. It
prints what happened and what became of each invariant. The token stands at
the end of every lockstep run --plain.`,
		Example: `  lockstep replay ls1.aGk1c...
  lockstep replay ls1.aGk1c... --walk
  lockstep replay ls1.aGk1c... --json
  lockstep replay ls1.aGk1c... --fail-on-violation`,
		Args:              exactly(message.New("a token")),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if walked {
				return a.walkReplay(cmd, args[0])
			}
			return a.replay(cmd, args[0], asJSON, failing)
		},
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "print a transcript, one fact a line (the default)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the history as JSON lines")
	cmd.Flags().BoolVar(&failing, "fail-on-violation", false, "exit with 1 if an invariant is violated")
	cmd.Flags().BoolVar(&walked, "walk", false, "open the walkthrough on it")
	a.takesGuests(cmd)
	return cmd
}

// walkReplay opens the walkthrough on the run that a token holds.
func (a *app) walkReplay(cmd *cobra.Command, token string) error {
	for _, flag := range []string{"plain", "json", "fail-on-violation"} {
		if err := exclude(cmd, "walk", flag); err != nil {
			return err
		}
	}
	if !a.terminal {
		return usage(cmd, "--%s needs a terminal", "walk")
	}
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	story, err := await(cmd.Context(), func() (*scenarios.Story, error) {
		return scenarios.FromSchedule(cmd.Context(), "a_token", config, schedule)
	})
	if err != nil {
		return unplayed(cmd, err)
	}
	return a.open(cmd.Context(), walkOptions{Story: story, At: 1, Nameless: true})
}

// unplayed says why a token's run cannot be played: it does not fit, or the
// lock's code gets stuck.
func unplayed(cmd *cobra.Command, err error) error {
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		return unexpected(message.Errorf("replay: %w", err))
	}
	return usage(cmd, "replay token: it does not fit this program: %w", err)
}

func (a *app) replay(cmd *cobra.Command, token string, asJSON, failing bool) error {
	if err := exclude(cmd, "plain", "json"); err != nil {
		return err
	}
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	result, err := await(cmd.Context(), func() (*scenarios.Result, error) {
		return scenarios.Replay(cmd.Context(), config, schedule)
	})
	if err != nil {
		return unplayed(cmd, err)
	}
	if err := a.printReplay(cmd.Context(), result, asJSON); err != nil {
		return err
	}
	if failing && len(result.Violations) > 0 {
		return unexpected(message.Errorf("replay: %v", scenarios.Verdict(result.Violations[0])))
	}
	if failing && !result.Undecided.None() {
		return unexpected(message.Errorf("replay: %v", result.Undecided))
	}
	return nil
}

func (a *app) printReplay(ctx context.Context, r *scenarios.Result, asJSON bool) error {
	if asJSON {
		return history.WriteJSON(a.out, r.History)
	}
	t := transcript{app: a, ctx: ctx, told: map[string]bool{}}
	t.replay(r)
	return ctx.Err()
}
