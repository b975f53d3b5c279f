package program

import (
	"errors"
	"fmt"

	"lockstep/sim/resp"
)

var errProtocol = errors.New("program: not a RESP request")

// parseRequest takes one complete command off the front of b and returns how
// many bytes it took; 0 if b holds only a part.
func parseRequest(b []byte) (args []string, n int, err error) {
	v, n, err := resp.Parse(b)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errProtocol, err)
	}
	if n == 0 {
		return nil, 0, nil
	}
	args, ok := v.Command()
	if !ok {
		return nil, 0, errProtocol
	}
	return args, n, nil
}
