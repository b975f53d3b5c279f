package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// ownServer is the value of --redis that starts a server for the run.
const ownServer = "start"

// runLive plays a story on a real server. It connects only to that server's
// address.
func (a *app) runLive(cmd *cobra.Command, story *scenarios.Story, lock string, f runFlags) error {
	if isOn(lock, sim.ZooKeeper) {
		return usage(cmd, "--redis: %s is a lock on ZooKeeper; use --zookeeper %s", lock, ownServer)
	}
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
	return a.reportLive(ctx, server, story, lock, result, f)
}

// runOnZooKeeper plays a story on a ZooKeeper that it starts.
func (a *app) runOnZooKeeper(cmd *cobra.Command, story *scenarios.Story, lock string, f runFlags) error {
	switch {
	case f.zookeeper != ownServer:
		return usage(cmd, "--zookeeper: Lockstep plays on no ZooKeeper but its own; use --zookeeper %s, not %q", ownServer, f.zookeeper)
	case !isOn(lock, sim.ZooKeeper):
		return usage(cmd, "--zookeeper: %s is no lock on ZooKeeper; zk-sequential is one, and --redis is for locks on Redis", lock)
	}
	ctx := cmd.Context()
	result, err := scenarios.RunOnZooKeeper(ctx, story, lock)
	if err != nil {
		return err
	}
	return a.reportLive(ctx, nil, story, lock, result, f)
}

// isOn reports whether a lock is on a kind of server.
func isOn(lock string, kind sim.Kind) bool {
	subject, err := scenarios.SubjectOf(lock)
	return err == nil && subject.Server == kind
}

// reportLive prints a run on a real server; server is nil for a ZooKeeper. The
// error says what differs from the same run in the world.
func (a *app) reportLive(ctx context.Context, server *live.Server, story *scenarios.Story, lock string, result *scenarios.LiveResult, f runFlags) (err error) {
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
	if f.redis == ownServer {
		if f.passwordFile != "" {
			return nil, usage(cmd, "--%s: a server of Lockstep's own has a password that nobody has to know", passwordFlag)
		}
		return live.Start(ctx, live.Fleeting)
	}
	target, err := live.Parse(f.redis)
	if err != nil {
		return nil, usage(cmd, "--redis: %w, or %s for a server of Lockstep's own", err, ownServer)
	}
	password, err := passwordOf(cmd, "redis", target.HasPassword(), f.passwordFile)
	if err != nil {
		return nil, err
	}
	if password != "" {
		target = target.WithPassword(password, cmp.Or(f.passwordFile, passwordVariable))
	}
	server, err := live.Open(ctx, target)
	return server, locked(err)
}

// passwordOf returns the password beside the address of a flag: that in a file, or that of the
// environment. It is "" if there is none, or the address has one.
func passwordOf(cmd *cobra.Command, flag string, has bool, file string) (password string, err error) {
	switch {
	case has && file != "":
		return "", usage(cmd, "--%s: the address in --%s has a password already", passwordFlag, flag)
	case has:
		return "", nil
	case file == "":
		return os.Getenv(passwordVariable), nil
	}
	if password, err = await(cmd.Context(), func() (string, error) { return live.ReadPassword(file) }); err != nil {
		return "", usage(cmd, "--%s: %w", passwordFlag, err)
	}
	return password, nil
}

// locked adds to an error about a password where the right one is taken from.
func locked(err error) error {
	if errors.Is(err, live.ErrLocked) {
		return lang.Errorf("%w; set the right one in %s, or in a file for --%s", err, passwordVariable, passwordFlag)
	}
	return err
}

func (a *app) printLive(ctx context.Context, server *live.Server, story *scenarios.Story, lock string, r *scenarios.LiveResult, f runFlags) error {
	about := r.Server
	if server != nil {
		about = fmt.Sprintf("Redis %s, %s", server.Version(), server)
	}
	a.say("%s", a.book.Fill("live_server", prose.TextFacts{What: about}))
	if server == nil || server.Own() {
		a.say("%s", a.book.Text("live_own"))
	}
	if r.Lease != story.Lease() {
		a.say("%s", a.book.Fill("live_lease", prose.TextFacts{What: story.Lease().String(), Said: r.Lease.String()}))
	}
	a.say("")
	t := transcript{app: a, ctx: ctx, told: map[string]bool{}}
	t.story(r.Story, lock, r.Result, max(f.at.value, 1))
	a.say("")
	if server != nil && len(server.Kept()) > 0 {
		kept := server.Kept()
		a.say("%s", a.book.Fill("live_kept", prose.TextFacts{N: len(kept), What: a.in(lang.Names(kept))}))
	}
	if r.Difference.None() {
		commands, replies := r.Commands()
		a.say("%s", a.book.Fill("live_same", prose.TextFacts{N: commands, Of: replies}))
	}
	return ctx.Err()
}
