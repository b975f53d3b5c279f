// Package gotool runs the go command so that it leaves nothing behind, however it ends.
package gotool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"lockstep/internal/files"
)

// An Error is what the go command says when it fails.
type Error struct{ Says string }

func (e *Error) Error() string { return e.Says }

// patience is how long the go command may take to end.
const patience = 10 * time.Second

// Run runs the go command in a folder, with variables beside those of this process, and
// returns what it prints. If it fails, the error is an *Error; where there is none, it
// wraps exec.ErrNotFound. The end of ctx asks it to end, and all that it has started.
func Run(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	in, err := command(ctx, dir, "env", "GOTMPDIR").Output()
	if err != nil {
		return nil, failed(ctx, err, "")
	}
	temp, remove, err := files.Folder(strings.TrimSpace(string(in)))
	if err != nil {
		return nil, err
	}
	defer remove()
	cmd := command(ctx, dir, args...)
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &says
	cmd.Env = append(append(cmd.Environ(), env...), "GOTMPDIR="+temp)
	if err = cmd.Run(); ctx.Err() != nil {
		killAll(cmd)
	}
	return out.Bytes(), failed(ctx, err, says.String())
}

func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.WaitDelay = dir, patience
	contain(cmd)
	return cmd
}

// failed is the error of a command that ended so.
func failed(ctx context.Context, err error, says string) error {
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ended):
		return &Error{strings.TrimSpace(cmp.Or(says, string(ended.Stderr)))}
	}
	return err
}
