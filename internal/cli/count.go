package cli

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/sim/explore"
)

// A count is a flag for a number between two bounds. A negative value means that
// it was not given.
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

// stepNumber is a step of a story; 0 if none is given.
func stepNumber() count { return count{0, 1, 1_000_000} }

// optional is a number that each hazard sets by default.
func optional(least, most int) count { return count{-1, least, most} }

func hazardIDs() []string {
	ids := make([]string, len(explore.Hazards()))
	for i, h := range explore.Hazards() {
		ids[i] = h.ID
	}
	return ids
}

// findHazards returns the named hazards, each once, or all if none is named.
func findHazards(names []string) ([]explore.Hazard, error) {
	if len(names) == 0 {
		return explore.Hazards(), nil
	}
	var hazards []explore.Hazard
	for i, name := range names {
		h, ok := explore.FindHazard(name)
		if !ok {
			return nil, unknown(lang.Errorf("%q is not a hazard", name), name, hazardIDs(), "lockstep explore --help")
		}
		if !slices.Contains(names[:i], name) {
			hazards = append(hazards, h)
		}
	}
	return hazards, nil
}

func (a *app) completeHazard(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var hazards []string
	for _, id := range hazardIDs() {
		hazards = append(hazards, cobra.CompletionWithDesc(id, a.book.Hazard(id).Name))
	}
	return hazards, noFiles
}
