package model

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// but adds fields under a field to those that make no difference.
func but(under, fields, why string, and map[string]string) map[string]string {
	for f := range strings.SplitSeq(fields, ", ") {
		name := under + f
		if of, ok := strings.CutPrefix(f, "len "); ok {
			name = "len " + under + of
		}
		and[name] = why
	}
	return and
}

const shown = ".During, .Source, len .Units[].Shown, .Units[].Source, .Units[].Renews" // texts show it, and the node gets what is seen

var (
	units = sim.Units([][]string{{"GET", "k"}, {"MULTI"}, {"INCR", "l"}})
	want  = sim.Want{
		Name: "task", Saw: sim.SawReply, Label: "GET", Node: 1, Conn: 2, Of: 1, For: 3 * time.Second, Wakes: sim.Epoch(),
		Units: units, Access: sim.Access{Resource: "stock", Op: "read"}, Closed: []sim.Link{{Node: 1, Conn: 2}},
	}
	value = history.KeyState{Type: "string", Value: "v", Deadline: 4}
	event = history.Event{Kind: history.Apply, Client: "A", Cmds: [][]string{{"EVAL", "x"}}, Changes: []history.Change{{Key: "k", Before: &value, After: &value}, {Key: "l"}}}
)

// TestSame: any visible difference makes wants or events differ.
func TestSame(t *testing.T) {
	others := 0
	key := func(same, again, asKeys bool) string {
		if same != again || same != asKeys {
			t.Errorf("the same: %t, the other way round %t, by what is appended %t", same, again, asKeys)
		}
		if same {
			return ""
		}
		others++
		return strconv.Itoa(others)
	}
	testkit.KeyOfAll(t, want, func(w sim.Want) string {
		seen := slices.ContainsFunc(w.Units, func(u sim.Unit) bool { return u.Seen > 0 })
		return key(sim.SameWant(want, w), sim.SameWant(w, want), bytes.Equal(appendWant(nil, &want), appendWant(nil, &w)) || seen)
	}, but("", shown+", .Units[].Seen", "the code does not know it", map[string]string{}))
	did := func(e history.Event) program.Did {
		return program.Did{Wants: []sim.Want{want}, Events: []history.Event{e}}
	}
	testkit.KeyOfAll(t, event, func(e history.Event) string {
		same := did(event).Same(did(e))
		return key(same, did(e).Same(did(event)), same)
	}, but("", ".Seq, .Pick, .At, .Strand, .Node, .Call, .During, .Busy, .Cmds[][], len .Cmds[], len .Cmds, .Reply, .Source, .Value, .Version, .Based, "+
		".Changes[].Key, .Changes[].Before.Type, .Changes[].Before.Value, .Changes[].Before.Deadline, nil .Changes[].Before, "+
		".Changes[].After.Type, .Changes[].After.Value, .Changes[].After.Deadline, nil .Changes[].After, len .Changes, .while.format, len .while.args", "the code does not emit it", map[string]string{}))
	if d := did(event); d.Same(program.Did{Wants: d.Wants}) || d.Same(program.Did{Events: d.Events}) {
		t.Error("what a client does next, or has done, makes no difference")
	}
}

// TestKeys: all that makes a difference for the future, or for what is judged, is in a key.
func TestKeys(t *testing.T) {
	testkit.KeyOfAll(t, want, func(w sim.Want) string { return string(appendWant(nil, &w)) }, but("", shown, "the code does not know it", map[string]string{}))

	strands := []sim.Strand{{Phase: sim.Answered, Until: 5, Reply: "+OK\r\n", Stamp: 8}, {Phase: sim.Held, Reply: "+no\r\n"}, {Phase: sim.OnTheWay, Life: 2}}
	testkit.KeyOfAll(t, clientState{sim.ClientState{Code: 3, Cut: 1, Cancelled: 1, Stamp: 7, Strands: strands}}, func(c clientState) string { return string(c.append(nil)) },
		but(".ClientState.Strands[]", "len .Shown, .Call", "only events show it", but(".ClientState.Strands[2]", ".Reply, .Stamp", "there is none yet", map[string]string{})))
	for _, c := range []sim.ClientState{{Dead: true, Strands: strands}, {Done: true, Strands: strands}} {
		if got := canonical(c); len(got.append(nil)) != 1 {
			t.Errorf("%+v: %q", c, got.append(nil))
		}
	}

	env := envState{now: 3, nodes: []sim.Ref{5, 6}, resource: sim.ResourceState{Value: 1}, abandoned: []sim.Abandoned{
		{Client: 1, Strand: 1, Want: sim.Want{Node: 1, Units: units, Of: 1}}, {Client: 2, Strand: 3, Want: sim.Want{Units: units[:1]}},
	}}
	const gone = ".Name, .Ended, .Saw, .Label, .Blocks, len .Closed, .Access.Resource, .Access.Op, .Access.Fence, .Access.Value, .Access.Based, .Access.Version, .Access.Conditional, .Access.Outcome, " +
		".Fresh, .Sleeps, .For, .Wakes, .Stays, " + shown
	for of, without := range map[footprint]string{
		0b111: "", 0b110: ".nodes[0]", 0b101: ".nodes[1]", 0b011: ".resource.Value, .resource.Version, .resource.Fence, len .nodes",
	} {
		others := but(".abandoned[].Want", gone, "its sender has gone", map[string]string{".abandoned[].Call": "only events show it", ".abandoned[1].Strand": "it has a process of its own"})
		if without != "" {
			but("", without, "it is not asked for", others)
		}
		testkit.KeyOfAll(t, env, func(e envState) string { return string(e.append(nil, of)) }, others)
	}

	testkit.KeyOfAll(t, event, func(e history.Event) string { return string(appendEvents(nil, []history.Event{e})) },
		but("", ".Seq, .Pick, .At, .Call, .During, .Cmds[0][1], len .Cmds[0], len .Cmds, .Reply, .Source, .Text, .while.format, len .while.args", "no invariant and no count depends on it", map[string]string{}))
}

// TestKeysEnd: what stands behind each other in a key cannot be taken for something else.
func TestKeysEnd(t *testing.T) {
	seen := map[string]int{}
	for i, cmds := range [][][]string{{{"A", "B"}}, {{"AB"}}, {{"A"}, {"B"}}, {{"MULTI"}, {"A"}, {"B"}}, {{"MULTI"}, {"A", "B"}}, {{"A;", "B"}}, {{`A","B`}}, {{"A", ""}}, {{"A"}}} {
		key := string(appendUnits(nil, sim.Units(cmds)))
		if j, ok := seen[key]; ok {
			t.Errorf("commands %d and %d have the key %q", j, i, key)
		}
		seen[key] = i
	}
	for _, seenBy := range []int64{1, 2, 64} { // stamps
		key := string(appendUnits(nil, []sim.Unit{{Cmds: [][]string{{"A", "B"}}, Seen: seenBy}}))
		if _, ok := seen[key]; ok {
			t.Errorf("a unit that has seen %d is another", seenBy)
		}
		seen[key] = -1
	}
	two := clientState{sim.ClientState{Strands: []sim.Strand{{Phase: sim.OnTheWay}, {Phase: sim.Held}}}}
	key := string(two.append(nil))
	if slices.Reverse(two.Strands); string(two.append(nil)) == key {
		t.Errorf("the order of strands is not in %q", key)
	}
	list := []history.Event{
		{Kind: "a"}, {Kind: "b", Op: "c"}, {Kind: "ab"}, {Kind: "a", Client: "b"}, {Kind: "a", Op: "b"}, {Kind: "a", Node: "b"}, {Kind: "a", Outcome: "b"},
	}
	for i, a := range list {
		for j, b := range list {
			if i != j && string(appendEvents(nil, []history.Event{a})) == string(appendEvents(nil, []history.Event{b})) {
				t.Errorf("events %d and %d have the same key", i, j)
			}
		}
	}
}
