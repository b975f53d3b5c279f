package cli

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// ownServer is the value of --redis that starts servers for the run.
const ownServer = "start"

// runLive plays a story on real servers.
func (a *app) runLive(cmd *cobra.Command, story *scenarios.Story, lock string, f runFlags) error {
	var start func(context.Context) (*live.Server, error)
	subject, err := scenarios.SubjectOf(lock)
	zookeeper := err == nil && subject.Server == sim.ZooKeeper
	switch {
	case f.redis != "" && zookeeper:
		return usage(cmd, "--redis: %s is a lock on ZooKeeper; use --zookeeper %s", lock, ownServer)
	case f.redis != "":
		if start, err = serversOf(cmd, f); err != nil {
			return err
		}
	case f.zookeeper != ownServer:
		return usage(cmd, "--zookeeper: Lockstep plays on no ZooKeeper but its own; use --zookeeper %s, not %q", ownServer, f.zookeeper)
	case !zookeeper:
		return usage(cmd, "--zookeeper: %s is not a lock on ZooKeeper; zk-sequential is one, and --redis is for locks on Redis", lock)
	}
	ctx := cmd.Context()
	result, err := scenarios.RunLive(ctx, story, lock, start)
	switch {
	case ctx.Err() != nil && errors.Is(err, live.ErrLeft):
		return &exitError{code: exitInterrupted, err: lang.Errorf("interrupted; %w", err), final: true}
	case err != nil:
		return err
	}
	return a.reportLive(ctx, story, lock, result, f)
}

// reportLive prints a run on a real server. The error says what differs from the same
// run in the world.
func (a *app) reportLive(ctx context.Context, story *scenarios.Story, lock string, result *scenarios.LiveResult, f runFlags) (err error) {
	if f.json {
		err = history.WriteJSON(a.out, result.History)
	} else {
		err = a.printLive(ctx, story, lock, result, f)
	}
	switch {
	case err != nil:
		return err
	case !result.Difference.None():
		return unexpected(lang.Errorf("not as in the world: %v", result.Difference))
	}
	return nil
}

// passwordVariable is the variable that redis-cli reads.
const passwordVariable = "REDISCLI_AUTH"

// serversOf returns the function that opens a server for a node of a run. With an address it
// does so once: that server serves one node of one run.
func serversOf(cmd *cobra.Command, f runFlags) (func(context.Context) (*live.Server, error), error) {
	if f.redis == ownServer {
		if f.passwordFile != "" {
			return nil, usage(cmd, "--%s: a server of Lockstep's own has a password that nobody has to know", passwordFlag)
		}
		return live.Start, nil
	}
	target, err := live.Parse(f.redis)
	switch {
	case err != nil:
		return nil, usage(cmd, "--redis: %w, and not %s for a server of Lockstep's own", err, ownServer)
	case target.HasPassword():
		return nil, usage(cmd, "--redis: every user of this machine can see a password in an address; set it in %s, or in a file for --%s", passwordVariable, passwordFlag)
	}
	password, err := passwordOf(cmd, "redis", false, f.passwordFile)
	if err != nil {
		return nil, err
	}
	if password != "" {
		target = target.WithPassword(password, cmp.Or(f.passwordFile, passwordVariable))
	}
	taken := false
	return func(ctx context.Context) (*live.Server, error) {
		if taken {
			return nil, &live.RefusedError{Why: lang.New("a database is for one node of one run; --redis %s has a server for each node, and for replays", ownServer)}
		}
		server, err := live.Open(ctx, target)
		taken = err == nil
		return server, withPasswordHint(err)
	}, nil
}

// passwordOf returns the password for the address in a flag, from a file or else from the
// environment. It is "" if there is none, or if the address has one.
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

// withPasswordHint adds to an error about a password where to set the right one.
func withPasswordHint(err error) error {
	if errors.Is(err, live.ErrLocked) {
		return lang.Errorf("%w; set the right one in %s, or in a file for --%s", err, passwordVariable, passwordFlag)
	}
	return err
}

func (a *app) printLive(ctx context.Context, story *scenarios.Story, lock string, r *scenarios.LiveResult, f runFlags) error {
	a.say("%s", a.book.Gap("live_server", r.Server))
	if f.redis == ownServer || f.zookeeper == ownServer {
		a.say("%s", a.book.Text("live_own"))
	}
	a.say("")
	t := a.transcript(ctx)
	t.story(story, lock, r.Result, max(f.at.value, 1))
	a.say("")
	if r.Difference.None() {
		commands, replies := r.Commands()
		a.say("%s", a.book.Count("live_same", commands, replies))
	}
	return ctx.Err()
}
