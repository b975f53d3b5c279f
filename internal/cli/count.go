package cli

import (
	"strconv"

	"lockstep/internal/lang"
	"lockstep/internal/matrix"
)

// A count is a flag for a number between two bounds. Its value is the default, which may
// be outside of them, until the flag is given; a negative one is not shown.
type count struct{ value, least, most int }

func (n *count) Type() string { return "N" }

func (n *count) String() string {
	if n.value < 0 {
		return ""
	}
	return strconv.Itoa(n.value)
}

func (n *count) Set(s string) error {
	value, err := strconv.Atoi(s)
	if err != nil || value < n.least || value > n.most {
		return lang.Errorf("use a number between %d and %d", n.least, n.most)
	}
	n.value = value
	return nil
}

// The default limits of a search, which could otherwise take all memory.
func statesFlag() count { return count{2_000_000, 1, 1_000_000_000} }
func depthFlag() count  { return count{matrix.Depth, 1, 10_000} }

// stepNumber is the flag for a step of a story: 0 if it is not given.
func stepNumber() count { return count{0, 1, 1_000_000} }

// optional is the flag for a number that each hazard has of its own: -1 if it is not given.
func optional(least, most int) count { return count{-1, least, most} }
