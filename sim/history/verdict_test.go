package history

import "testing"

// TestVerdicts: each invariant at its boundary, who broke it, whom else it
// concerns, and from which events it came.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name    string
		nodes   int
		history string
		want    string
	}{
		{"another's DEL", 1, "A acquires r1, B r1 A>", "foreign-release@3 B A [1 3], phantom-hold@3 A [2 3]"},
		{"before its owner knows", 1, "A asks, A r1 >A, B r1 A>", "foreign-release@2 B A [1 2]"},
		{"a vote that is no majority", 3, "A asks, A r1 >A, B r1 A>", ""},
		{"the owner's acquisition has failed", 1, "A asks, A r1 >A, A fails, B r1 A>", ""},
		{"a dead owner's", 1, "A acquires r1, A crashes, B r1 A>", ""},
		{"a hung owner's", 1, "A acquires r1, A hangs, B r1 A>", "foreign-release@4 B A [1 4], phantom-hold@4 A [2 4]"},
		{"a panicked owner's", 1, "A acquires r1, A panics, B r1 A>", ""},
		{"once the owner gives it back", 1, "A acquires r1, A returns, B r1 A>", ""},
		{"another key", 1, "A acquires r1, B r1 A> other", ""},

		{"another's PEXPIRE", 1, "A acquires r1, B r1 A>A@9000", "foreign-renewal@3 B A [1 3] deadline 5s -> 9s"},
		{"another's PERSIST", 1, "A acquires r1, B r1 A>A@0", "foreign-renewal@3 B A [1 3] deadline 5s -> no TTL"},
		{"to the same deadline", 1, "A acquires r1, B r1 A>A", ""},
		{"one's own PEXPIRE", 1, "A acquires r1, A r1 A>A@9000", ""},
		{"a dead owner's deadline", 1, "A acquires r1, A crashes, B r1 A>A@9000", ""},

		{"a refused client has renewed", 1, "A acquires r1, B asks, B r1 A>A@9000, B is refused", "foreign-renewal@4 B A [1 4] deadline 5s -> 9s, overwritten-lease@5 B A [4 5]"},
		{"a refused client has overwritten", 1, "A acquires r1, B asks, B r1 A>B, B is refused", "overwritten-lease@5 B A [4 5]"},
		{"so it did the time before", 1, "A acquires r1, B asks, B r1 A>B, B fails, B asks, B is refused", ""},
		{"in an acquisition that succeeds", 1, "A acquires r1, B asks, B r1 A>B, B is acquired, C r1 B>", "phantom-hold@5 A B [2 5], foreign-release@6 C B [4 6], phantom-hold@6 B [5 6]"},
		{"which only renews", 1, "A acquires r1, B asks, B r1 A>A@9000, B is acquired", "foreign-renewal@4 B A [1 4] deadline 5s -> 9s, phantom-hold@5 B A [5]"},
		{"and the key has expired before", 1, "A acquires r1, B asks, B r1 A>B, r1 B>, B is acquired", "phantom-hold@5 A [2 5], phantom-hold@6 B [6]"},
		{"an overwriting command that applies too late", 1, "A acquires r1, B asks, B is refused, B r1 A>B, C r1 B>", "foreign-release@5 B A [1 5] its value was replaced, phantom-hold@5 A B [2 5]"},
		{"or after its acquisition failed", 1, "A acquires r1, B asks, B fails, B r1 A>B", "foreign-release@5 B A [1 5] its value was replaced, phantom-hold@5 A B [2 5]"},
		{"or after nobody knew how it ended", 1, "A acquires r1, B asks, B wonders, B r1 A>B", "foreign-release@5 B A [1 5] its value was replaced, phantom-hold@5 A B [2 5]"},

		{"the lease ends", 1, "A acquires r1, r1 A>, r1 A>", "phantom-hold@3 A [2 3]"},
		{"each time anew", 1, "A acquires r1, r1 A>, A acquires r1, r1 A>", "phantom-hold@3 A [2 3], phantom-hold@7 A [6 7]"},
		{"as it was given back", 1, "A acquires r1, A returns, r1 A>", ""},
		{"one of two acquisitions is given back", 1, "A acquires r1, A asks, A is acquired, A returns, r1 A>", "phantom-hold@6 A [4 6]"},
		{"a release too many before", 1, "A returns, A acquires r1, r1 A>", "phantom-hold@4 A [3 4]"},
		{"one of three nodes is lost", 3, "A acquires r1 r2 r3, r1 A>", ""},
		{"a majority of them", 3, "A acquires r1 r2 r3, r1 A>, r2 A>", "phantom-hold@6 A [4 6]"},
		{"two of four is no majority", 4, "A acquires r1 r2", "phantom-hold@3 A [3]"},
		{"no lock in Redis at all", 0, "A asks, A is acquired", ""},
		{"a dead one believes nothing", 1, "A acquires r1, A crashes, r1 A>", ""},

		{"two inside", 1, "A acquires r1, A enters, B enters", "mutual-exclusion@4 B A [3 4]"},
		{"three inside", 1, "A acquires r1, A enters, B enters, C enters", "mutual-exclusion@4 B A [3 4], mutual-exclusion@5 C A [3 5], mutual-exclusion@5 C B [4 5]"},
		{"the first has left", 1, "A acquires r1, A enters, A leaves, B enters", ""},
		{"or given up", 1, "A acquires r1, A enters, A abandons, B enters", ""},
		{"or died", 1, "A acquires r1, A enters, A crashes, B enters", ""},
		{"the same one twice", 1, "A acquires r1, A enters, A enters", ""},

		{"refused by one's own key", 1, "A acquires r1, A asks, A is refused, A asks, A is refused", "self-deadlock@4 A [4]"},
		{"asleep before one's own key", 1, "A acquires r1, A asks, A sleeps, A sleeps", "self-deadlock@4 A [4]"},
		{"asleep in the background", 1, "A acquires r1, A asks, A/1 sleeps", ""},
		{"asleep at work", 1, "A acquires r1, A sleeps", ""},
		{"asleep after an attempt that failed", 1, "A asks, A r1 >A, A fails, A sleeps", ""},
		{"asleep before another's key", 1, "A acquires r1, B asks, B sleeps", ""},
		{"once for each key", 1, "A asks, A r1 >A, A sleeps, r1 A>, A r1 >A, A sleeps", "self-deadlock@2 A [2], self-deadlock@5 A [5]"},

		{"a release that does nothing", 1, "A acquires r1, A returns, A is released", "leak@4 A [4]"},
		{"and says Lost", 1, "A acquires r1, A returns, A is lost", "leak@4 A [4]"},
		{"and says that it was refused", 1, "A acquires r1, A returns, A is refused", "leak@4 A [4]"},
		{"and says why", 1, "A acquires r1, A returns, A fails", "leak@4 A [4] reset"},
		{"and cannot know", 1, "A acquires r1, A returns, A wonders", ""},
		{"of one of two acquisitions", 1, "A acquires r1, A asks, A is acquired, A returns, A is released", ""},
		{"a release that works", 1, "A acquires r1, A returns, A r1 A>, A is released", ""},
		{"while another has it", 1, "A acquires r1, r1 A>, B acquires r1, A returns, A is lost", "phantom-hold@3 A [2 3]"},

		{"a write after a newer reader", 1, "A acquires r1, A reads, r1 A>, B acquires r1, B reads, A stores 0 1 0", "phantom-hold@4 A [2 4], stale-write@9 A B [4 9]"},
		{"after a newer writer", 1, "A acquires r1, r1 A>, B acquires r1, B stores 0 1 0, A stores 0 2 1", "phantom-hold@3 A [2 3], stale-write@8 A B [3 8]"},
		{"nobody newer was served", 1, "A acquires r1, A reads, r1 A>, B acquires r1, A stores 0 1 0", "phantom-hold@4 A [2 4]"},
		{"an older one was", 1, "A acquires r1, A reads, r1 A>, B acquires r1, r1 B>, B stores 0 1 0", "phantom-hold@4 A [2 4], phantom-hold@8 B [7 8]"},
		{"it has acquired again since", 1, "A acquires r1, r1 A>, B acquires r1, B reads, r1 B>, A returns, A acquires r1, r1 A>, A stores 0 1 0", "phantom-hold@3 A [2 3], phantom-hold@8 B [6 8], phantom-hold@13 A [12 13]"},
		{"it never owned the key", 1, "A asks, A is acquired, B acquires r1, B reads, A stores 0 1 0", "phantom-hold@1 A [1], stale-write@6 A B [6]"},
	} {
		if got := short(observed(t, "", test.nodes, test.history).Violations()); got != test.want {
			t.Errorf("%s: violated\n %s\nwant\n %s", test.name, got, test.want)
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
