package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"lockstep/internal/lang"
)

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
