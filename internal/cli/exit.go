package cli

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/lang"
)

// The exit codes. The help topic exitCodes explains them to users.
const (
	exitOK          = 0
	exitUnexpected  = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// An exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
	see  string // the help to read next
	// final says that an interrupt led to the error, whose text says more
	final bool
}

func (e *exitError) Error() string { return e.In(nil) }

// In returns the text in a language.
func (e *exitError) In(l lang.Language) string {
	if e.see == "" {
		return lang.In(l, e.err)
	}
	return lang.New("%v; see %s", e.err, e.see).In(l)
}

func (e *exitError) Unwrap() error { return e.err }

// usage is the error for a wrong command line.
func usage(cmd *cobra.Command, problem string, args ...any) error {
	return refused(lang.Errorf(problem, args...), cmd.CommandPath()+" --help")
}

// refused is an error for what was asked for. see is the help to read next.
func refused(err error, see string) error { return &exitError{code: exitUsage, err: err, see: see} }

// unexpected is the error for a run with an unexpected outcome.
func unexpected(err error) error { return &exitError{code: exitUnexpected, err: err} }

// exit prints an error on one line and returns its exit code. An error that is
// neither unexpected nor an interrupt is a usage error.
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
	a.complain(conceal(a.in(err), args))
	return code
}

// conceal hides what precedes an @ in an argument. An error can quote the
// address of a server that was given in a wrong place, as in
// -redis=redis://user:password@host.
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

// await runs work that takes no context. After an interrupt it does not wait,
// since the process is about to end.
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

// flagError makes a translatable error of one of the flag library.
func flagError(cmd *cobra.Command, args []string, err error) error {
	var (
		missing *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		wrong   *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return cmp.Or(retirement(cmd, args, ""), lang.Errorf("unknown shorthand flag: %q in -%s", missing.GetSpecifiedName()[0], missing.GetSpecifiedShortnames()))
	case errors.As(err, &missing):
		name := "--" + missing.GetSpecifiedName()
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return cmp.Or(retirement(cmd, args, name), fitting(lang.Errorf("unknown flag: %s", name), name, known))
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
