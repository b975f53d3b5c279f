package history

import (
	"slices"
	"testing"
)

// TestVerdicts: each invariant at its boundary, who broke it, whom else it
// concerns, and from which events it came.
func TestVerdicts(t *testing.T) {
	releases := func(client string) []Event {
		return []Event{invoke(client, OpRelease), onNode("r1", client, client, ""), returns(client, OpRelease, Released)}
	}
	a, gone := acquires("A", "r1"), onNode("r1", "", "A", "")
	for _, test := range []struct {
		name  string
		nodes int
		parts [][]Event
		want  []string
	}{
		{"another's DEL", 1, [][]Event{a, {onNode("r1", "B", "A", "")}}, []string{"foreign-release@3 B A [1 3]", "phantom-hold@3 A [2 3]"}},
		{"before its owner knows", 1, [][]Event{{invoke("A", OpAcquire), onNode("r1", "A", "", "A"), onNode("r1", "B", "A", "")}},
			[]string{"foreign-release@2 B A [1 2]"}},
		{"a vote that is no majority", 3, [][]Event{{invoke("A", OpAcquire), onNode("r1", "A", "", "A"), onNode("r1", "B", "A", "")}}, nil},
		{"the owner's acquisition has failed", 1, [][]Event{{invoke("A", OpAcquire), onNode("r1", "A", "", "A"), fails("A", OpAcquire), onNode("r1", "B", "A", "")}}, nil},
		{"a dead owner's", 1, [][]Event{a, {faulty("A", Crash), onNode("r1", "B", "A", "")}}, nil},
		{"a hung owner's", 1, [][]Event{a, {faulty("A", Hang), onNode("r1", "B", "A", "")}}, []string{"foreign-release@4 B A [1 4]", "phantom-hold@4 A [2 4]"}},
		{"a panicked owner's", 1, [][]Event{a, {{Kind: Panic, Client: "A"}, onNode("r1", "B", "A", "")}}, nil},
		{"once the owner gives it back", 1, [][]Event{a, {invoke("A", OpRelease), onNode("r1", "B", "A", "")}}, nil},
		{"another key", 1, [][]Event{a, {{Kind: Apply, Client: "B", Node: "r1", Changes: []Change{{"other", &KeyState{Value: "A"}, nil}}}}}, nil},

		{"another's PEXPIRE", 1, [][]Event{a, {renews("B", "A", 5000, 9000)}}, []string{"foreign-renewal@3 B A [1 3] deadline 5s -> 9s"}},
		{"another's PERSIST", 1, [][]Event{a, {renews("B", "A", 5000, 0)}}, []string{"foreign-renewal@3 B A [1 3] deadline 5s -> no TTL"}},
		{"to the same deadline", 1, [][]Event{a, {renews("B", "A", 5000, 5000)}}, nil},
		{"one's own PEXPIRE", 1, [][]Event{a, {renews("A", "A", 5000, 9000)}}, nil},
		{"a dead owner's deadline", 1, [][]Event{a, {faulty("A", Crash), renews("B", "A", 5000, 9000)}}, nil},

		{"a refused client has renewed", 1, [][]Event{a, {invoke("B", OpAcquire), renews("B", "A", 5000, 9000), returns("B", OpAcquire, Refused)}},
			[]string{"foreign-renewal@4 B A [1 4] deadline 5s -> 9s", "overwritten-lease@5 B A [4 5]"}},
		{"a refused client has overwritten", 1, [][]Event{a, {invoke("B", OpAcquire), onNode("r1", "B", "A", "B"), returns("B", OpAcquire, Refused)}},
			[]string{"overwritten-lease@5 B A [4 5]"}},
		{"so it did the time before", 1, [][]Event{a, {invoke("B", OpAcquire), onNode("r1", "B", "A", "B"), fails("B", OpAcquire), invoke("B", OpAcquire), returns("B", OpAcquire, Refused)}}, nil},
		{"in an acquisition that succeeds", 1, [][]Event{a, {invoke("B", OpAcquire), onNode("r1", "B", "A", "B"), returns("B", OpAcquire, Acquired), onNode("r1", "C", "B", "")}},
			[]string{"phantom-hold@5 A B [2 5]", "foreign-release@6 C B [4 6]", "phantom-hold@6 B [5 6]"}},
		{"which only renews", 1, [][]Event{a, {invoke("B", OpAcquire), renews("B", "A", 5000, 9000), returns("B", OpAcquire, Acquired)}},
			[]string{"foreign-renewal@4 B A [1 4] deadline 5s -> 9s", "phantom-hold@5 B A [5]"}},
		{"and the key has expired before", 1, [][]Event{a, {invoke("B", OpAcquire), onNode("r1", "B", "A", "B"), onNode("r1", "", "B", ""), returns("B", OpAcquire, Acquired)}},
			[]string{"phantom-hold@5 A [2 5]", "phantom-hold@6 B [6]"}},
		{"an overwriting command that applies too late", 1, [][]Event{a, {invoke("B", OpAcquire), returns("B", OpAcquire, Refused), onNode("r1", "B", "A", "B"), onNode("r1", "C", "B", "")}},
			[]string{"foreign-release@5 B A [1 5] its value was replaced", "phantom-hold@5 A B [2 5]"}},
		{"or after its acquisition failed", 1, [][]Event{a, {invoke("B", OpAcquire), fails("B", OpAcquire), onNode("r1", "B", "A", "B")}},
			[]string{"foreign-release@5 B A [1 5] its value was replaced", "phantom-hold@5 A B [2 5]"}},
		{"or after nobody knew how it ended", 1, [][]Event{a, {invoke("B", OpAcquire), {Kind: Unknown, Client: "B", Op: OpAcquire}, onNode("r1", "B", "A", "B")}},
			[]string{"foreign-release@5 B A [1 5] its value was replaced", "phantom-hold@5 A B [2 5]"}},

		{"the lease ends", 1, [][]Event{a, {gone, gone}}, []string{"phantom-hold@3 A [2 3]"}},
		{"each time anew", 1, [][]Event{a, {gone}, a, {gone}}, []string{"phantom-hold@3 A [2 3]", "phantom-hold@7 A [6 7]"}},
		{"as it was given back", 1, [][]Event{a, {invoke("A", OpRelease), gone}}, nil},
		{"one of two acquisitions is given back", 1, [][]Event{a, {invoke("A", OpAcquire), returns("A", OpAcquire, Acquired), invoke("A", OpRelease), gone}}, []string{"phantom-hold@6 A [4 6]"}},
		{"a release too many before", 1, [][]Event{{invoke("A", OpRelease)}, a, {gone}}, []string{"phantom-hold@4 A [3 4]"}},
		{"one of three nodes is lost", 3, [][]Event{acquires("A", "r1", "r2", "r3"), {gone}}, nil},
		{"a majority of them", 3, [][]Event{acquires("A", "r1", "r2", "r3"), {gone, onNode("r2", "", "A", "")}}, []string{"phantom-hold@6 A [4 6]"}},
		{"two of four is no majority", 4, [][]Event{acquires("A", "r1", "r2")}, []string{"phantom-hold@3 A [3]"}},
		{"no lock in Redis at all", 0, [][]Event{{invoke("A", OpAcquire), returns("A", OpAcquire, Acquired)}}, nil},
		{"a dead one believes nothing", 1, [][]Event{a, {faulty("A", Crash), gone}}, nil},

		{"two inside", 1, [][]Event{a, {uses("A", Enter), uses("B", Enter)}}, []string{"mutual-exclusion@4 B A [3 4]"}},
		{"three inside", 1, [][]Event{a, {uses("A", Enter), uses("B", Enter), uses("C", Enter)}},
			[]string{"mutual-exclusion@4 B A [3 4]", "mutual-exclusion@5 C A [3 5]", "mutual-exclusion@5 C B [4 5]"}},
		{"the first has left", 1, [][]Event{a, {uses("A", Enter), uses("A", Leave), uses("B", Enter)}}, nil},
		{"or given up", 1, [][]Event{a, {uses("A", Enter), uses("A", Abandon), uses("B", Enter)}}, nil},
		{"or died", 1, [][]Event{a, {uses("A", Enter), faulty("A", Crash), uses("B", Enter)}}, nil},
		{"the same one twice", 1, [][]Event{a, {uses("A", Enter), uses("A", Enter)}}, nil},

		{"refused by one's own key", 1, [][]Event{a, {invoke("A", OpAcquire), returns("A", OpAcquire, Refused), invoke("A", OpAcquire), returns("A", OpAcquire, Refused)}},
			[]string{"self-deadlock@4 A [4]"}},
		{"asleep before one's own key", 1, [][]Event{a, {invoke("A", OpAcquire), {Kind: Sleep, Client: "A"}, {Kind: Sleep, Client: "A"}}}, []string{"self-deadlock@4 A [4]"}},
		{"asleep in the background", 1, [][]Event{a, {invoke("A", OpAcquire), {Kind: Sleep, Client: "A", Strand: 1}}}, nil},
		{"asleep at work", 1, [][]Event{a, {{Kind: Sleep, Client: "A"}}}, nil},
		{"asleep after an attempt that failed", 1, [][]Event{{invoke("A", OpAcquire), onNode("r1", "A", "", "A"), fails("A", OpAcquire), {Kind: Sleep, Client: "A"}}}, nil},
		{"asleep before another's key", 1, [][]Event{a, {invoke("B", OpAcquire), {Kind: Sleep, Client: "B"}}}, nil},
		{"once for each key", 1, [][]Event{{invoke("A", OpAcquire), onNode("r1", "A", "", "A"), {Kind: Sleep, Client: "A"}, gone, onNode("r1", "A", "", "A"), {Kind: Sleep, Client: "A"}}},
			[]string{"self-deadlock@2 A [2]", "self-deadlock@5 A [5]"}},

		{"a release that does nothing", 1, [][]Event{a, {invoke("A", OpRelease), returns("A", OpRelease, Released)}}, []string{"leak@4 A [4]"}},
		{"and says Lost", 1, [][]Event{a, {invoke("A", OpRelease), returns("A", OpRelease, Lost)}}, []string{"leak@4 A [4]"}},
		{"and says that it was refused", 1, [][]Event{a, {invoke("A", OpRelease), returns("A", OpRelease, Refused)}}, []string{"leak@4 A [4]"}},
		{"and says why", 1, [][]Event{a, {invoke("A", OpRelease), fails("A", OpRelease)}}, []string{"leak@4 A [4] reset"}},
		{"and cannot know", 1, [][]Event{a, {invoke("A", OpRelease), {Kind: Unknown, Client: "A", Op: OpRelease}}}, nil},
		{"of one of two acquisitions", 1, [][]Event{a, {invoke("A", OpAcquire), returns("A", OpAcquire, Acquired), invoke("A", OpRelease), returns("A", OpRelease, Released)}}, nil},
		{"a release that works", 1, [][]Event{a, releases("A")}, nil},
		{"while another has it", 1, [][]Event{a, {gone}, acquires("B", "r1"), {invoke("A", OpRelease), returns("A", OpRelease, Lost)}}, []string{"phantom-hold@3 A [2 3]"}},

		{"a write after a newer reader", 1, [][]Event{a, {uses("A", ReadOp), gone}, acquires("B", "r1"), {uses("B", ReadOp), stores("A", 0, 1, 0)}},
			[]string{"phantom-hold@4 A [2 4]", "stale-write@9 A B [4 9]"}},
		{"after a newer writer", 1, [][]Event{a, {gone}, acquires("B", "r1"), {stores("B", 0, 1, 0), stores("A", 0, 2, 1)}},
			[]string{"phantom-hold@3 A [2 3]", "stale-write@8 A B [3 8]"}},
		{"nobody newer was served", 1, [][]Event{a, {uses("A", ReadOp), gone}, acquires("B", "r1"), {stores("A", 0, 1, 0)}}, []string{"phantom-hold@4 A [2 4]"}},
		{"an older one was", 1, [][]Event{a, {uses("A", ReadOp), gone}, acquires("B", "r1"), {onNode("r1", "", "B", ""), stores("B", 0, 1, 0)}},
			[]string{"phantom-hold@4 A [2 4]", "phantom-hold@8 B [7 8]"}},
		{"it has acquired again since", 1, [][]Event{a, {gone}, acquires("B", "r1"), {uses("B", ReadOp), onNode("r1", "", "B", "")}, {invoke("A", OpRelease)}, a, {gone, stores("A", 0, 1, 0)}},
			[]string{"phantom-hold@3 A [2 3]", "phantom-hold@8 B [6 8]", "phantom-hold@13 A [12 13]"}},
		{"it never owned the key", 1, [][]Event{{invoke("A", OpAcquire), returns("A", OpAcquire, Acquired)}, acquires("B", "r1"), {uses("B", ReadOp), stores("A", 0, 1, 0)}},
			[]string{"phantom-hold@1 A [1]", "stale-write@6 A B [6]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := short(Check(historyOf(t, "", test.nodes, test.parts...))); !slices.Equal(got, test.want) {
				t.Errorf("violated\n %q\nwant\n %q", got, test.want)
			}
		})
	}
}

// TestLostUpdates: a write over a version that its writer has not read, or of a
// value that takes nothing from what is left, loses an update.
func TestLostUpdates(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"one after the other", []Event{stores("A", 8, 1, 0), stores("B", 7, 2, 1)}, nil},
		{"both from the first version", []Event{stores("A", 8, 1, 0), stores("B", 8, 2, 0)}, []string{"lost-update@1 B A [0 1] sold 2, but the stock fell by 1"}},
		{"from the first version, and yet less", []Event{stores("A", 8, 1, 0), stores("B", 6, 2, 0)}, []string{"lost-update@1 B A [0 1] sold 2, but the stock fell by 3"}},
		{"the old value on the newer version", []Event{stores("A", 8, 1, 0), stores("B", 8, 2, 1)}, []string{"lost-update@1 B A [0 1] sold 2, but the stock fell by 1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := short(Check(historyOf(t, "stock=9", 1, test.events))); !slices.Equal(got, test.want) {
				t.Errorf("violated\n %q\nwant\n %q", got, test.want)
			}
		})
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
