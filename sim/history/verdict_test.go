package history

import (
	"strconv"
	"testing"

	"lockstep/internal/testkit"
)

// TestVerdicts: each invariant at its boundary, who broke it, whom else it
// concerns, and from which events it came.
func TestVerdicts(t *testing.T) {
	for _, row := range testkit.Rows(t, "testdata/verdicts.txt", 4) {
		nodes := testkit.Must(strconv.Atoi(row[1]))(t)
		if got := short(observed(t, "", nodes, row[2]).Violations()); got != row[3] {
			t.Errorf("%s: violated\n %s\nwant\n %s", row[0], got, row[3])
		}
	}
}

// TestLostUpdates: a write over a version that its writer has not read, or of a
// value that takes nothing from what is left, loses an update.
func TestLostUpdates(t *testing.T) {
	for history, want := range map[string]string{
		"A stores 8 1 0, B stores 7 2 1": "",
		"A stores 8 1 0, B stores 8 2 0": "lost-update@1 B A [0 1] sold 2, but the stock fell by 1",
		"A stores 8 1 0, B stores 6 2 0": "lost-update@1 B A [0 1] sold 2, but the stock fell by 3", // though it is less
		"A stores 8 1 0, B stores 8 2 1": "lost-update@1 B A [0 1] sold 2, but the stock fell by 1", // the old value on the newer version
	} {
		if got := short(observed(t, "stock=9", 1, history).Violations()); got != want {
			t.Errorf("%s: violated\n %s\nwant\n %s", history, got, want)
		}
	}
}

func TestShortNames(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range Invariants() {
		if s := Short(id); len(s) != 2 || seen[s] {
			t.Errorf("%s is short for %s", s, id)
		}
		seen[Short(id)] = true
	}
}
