package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// ownServer is the value of --redis that starts a server for the run.
const ownServer = "start"

// runLive plays a story on a real server. It connects only to that server's
// address.
func (a *app) runLive(cmd *cobra.Command, story *scenarios.Story, lock string, f runFlags) error {
	ctx := cmd.Context()
	server, err := openServer(ctx, cmd, f)
	if err != nil {
		return err
	}
	defer server.Stop()
	result, err := scenarios.RunLive(ctx, story, lock, []*live.Server{server})
	if err != nil {
		return err
	}
	if f.json {
		err = history.WriteJSON(a.out, result.History)
	} else {
		err = a.printLive(ctx, server, story, lock, result, f)
	}
	switch {
	case err != nil:
		return err
	case result.TooBusy():
		return unexpected(lang.Errorf("no verdict: in %d runs this machine was too busy, real time ran %v ahead: %v",
			result.Runs, result.Drift, result.Difference))
	case !result.Difference.None():
		return unexpected(lang.Errorf("not as in the world: %v", result.Difference))
	}
	return nil
}

// passwordVariable is the variable that redis-cli reads.
const passwordVariable = "REDISCLI_AUTH"

func openServer(ctx context.Context, cmd *cobra.Command, f runFlags) (*live.Server, error) {
	fromFile := cmd.Flags().Changed(passwordFlag)
	if f.redis == ownServer {
		if fromFile {
			return nil, usage(cmd, "--%s: a server of Lockstep's own has a password that nobody has to know", passwordFlag)
		}
		return live.Start(ctx, live.Fleeting)
	}
	target, err := live.Parse(f.redis)
	if err != nil {
		return nil, usage(cmd, "--redis: %w, or %s for a server of Lockstep's own", err, ownServer)
	}
	switch {
	case fromFile && target.HasPassword():
		return nil, usage(cmd, "--%s: the address in --redis has a password already", passwordFlag)
	case fromFile:
		password, err := await(ctx, func() (string, error) { return live.ReadPassword(f.passwordFile) })
		if err != nil {
			return nil, usage(cmd, "--%s: %w", passwordFlag, err)
		}
		target = target.WithPassword(password, f.passwordFile)
	case !target.HasPassword():
		if password := os.Getenv(passwordVariable); password != "" {
			target = target.WithPassword(password, passwordVariable)
		}
	}
	server, err := live.Open(ctx, target)
	if errors.Is(err, live.ErrLocked) {
		err = lang.Errorf("%w; set the right one in %s, or in a file for --%s", err, passwordVariable, passwordFlag)
	}
	return server, err
}

func (a *app) printLive(ctx context.Context, server *live.Server, story *scenarios.Story, lock string, r *scenarios.LiveResult, f runFlags) error {
	a.say("%s", a.book.Fill("live_server", prose.TextFacts{What: fmt.Sprintf("Redis %s, %s", server.Version(), server)}))
	if server.Own() {
		a.say("%s", a.book.Text("live_own"))
	}
	if r.Lease != story.Lease() {
		a.say("%s", a.book.Fill("live_lease", prose.TextFacts{What: story.Lease().String(), Said: r.Lease.String()}))
	}
	a.say("")
	t := transcript{app: a, ctx: ctx, told: map[string]bool{}}
	t.story(r.Story, lock, r.Result, max(int(f.at), 1))
	a.say("")
	if kept := server.Kept(); len(kept) > 0 {
		a.say("%s", a.book.Fill("live_kept", prose.TextFacts{N: len(kept), What: a.in(lang.Names(kept))}))
	}
	if r.Difference.None() {
		commands, replies := r.Commands()
		a.say("%s", a.book.Fill("live_same", prose.TextFacts{N: commands, Of: replies}))
	}
	return ctx.Err()
}
