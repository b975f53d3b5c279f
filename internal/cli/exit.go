package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// The exit codes; see exitCodes for the reader of the manual.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// An exitError is an error that says with which code the program ends.
type exitError struct {
	code int
	err  error
	see  string // where to read on
	// final: it was the interrupt that led to it, and more is said than that
	final bool
}

func (e *exitError) Error() string { return e.In(nil) }

// In says it in a language.
func (e *exitError) In(l lang.Language) string {
	if e.see == "" {
		return lang.In(l, e.err)
	}
	return lang.New("%v; see %s", e.err, e.see).In(l)
}

func (e *exitError) Unwrap() error { return e.err }

// usage says that a command line cannot be meant as it stands.
func usage(cmd *cobra.Command, problem string, args ...any) error {
	return &exitError{code: exitUsage, err: lang.Errorf(problem, args...), see: cmd.CommandPath() + " --help"}
}

// unexpected says that something ran, and did not end as it should.
func unexpected(err error) error { return &exitError{code: exitUnexpected, err: err} }

// exit reports an error on one line and turns it into an exit code. What is
// neither unexpected nor an interruption is something that could not be done.
func (a *app) exit(ctx context.Context, args []string, err error) int {
	if err == nil {
		return exitOK
	}
	var known *exitError
	code := exitUsage
	switch errors.As(err, &known); {
	case known != nil && known.final:
		code = known.code
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		code, err = exitInterrupted, lang.Errorf("interrupted")
	case known != nil:
		code = known.code
	}
	lines := strings.FieldsFunc(conceal(a.in(err), args), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = history.Brief(lines[i])
	}
	_, _ = fmt.Fprintf(a.stderr, "lockstep: %s\n", clean(strings.Join(lines, "; "))) // nobody is left to tell
	return code
}

// conceal hides what stands before an @ in an argument: the address of a server
// in a place where none belongs, as in -redis=redis://user:password@host, is
// quoted like any other word that cannot be meant.
func conceal(text string, args []string) string {
	for _, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if at := strings.LastIndex(arg, "@"); at > 0 {
			quoted := strconv.Quote(arg[:at])
			text = strings.NewReplacer(arg[:at], "***", quoted[1:len(quoted)-1], "***").Replace(text)
		}
	}
	return text
}

// await runs work that takes no context, and does not wait for its end when
// the user interrupts: the process is about to go.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case o := <-done:
		if ctx.Err() != nil {
			return o.value, ctx.Err()
		}
		return o.value, o.err
	}
}

// flagError says what the flag library says of a flag, as a message.
func flagError(err error) error {
	var (
		missing *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		wrong   *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return lang.Errorf("unknown shorthand flag: %q in -%s", missing.GetSpecifiedName()[0], missing.GetSpecifiedShortnames())
	case errors.As(err, &missing):
		return lang.Errorf("unknown flag: --%s", missing.GetSpecifiedName())
	case errors.As(err, &bare) && bare.GetSpecifiedShortnames() != "":
		return lang.Errorf("flag needs an argument: %q in -%s", bare.GetSpecifiedName()[0], bare.GetSpecifiedShortnames())
	case errors.As(err, &bare):
		return lang.Errorf("flag needs an argument: --%s", bare.GetSpecifiedName())
	case errors.As(err, &wrong):
		return lang.Errorf("invalid argument %q for %q flag: %w", wrong.GetValue(), "--"+wrong.GetFlag().Name, errors.Unwrap(wrong))
	case errors.As(err, &syntax):
		return lang.Errorf("bad flag syntax: %s", syntax.GetSpecifiedFlag())
	}
	return err
}
