//go:build !unix

package files

import (
	"errors"
	"os"
)

func hold(string, bool) (*os.File, error) { return nil, errors.ErrUnsupported }

func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }
