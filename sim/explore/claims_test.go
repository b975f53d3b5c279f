package explore

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// A claim is a line of testdata/claims.txt: a lock, a hazard, what is added to its
// configuration and bounds, and what is found then.
type claim struct {
	world []string
	says  []string
}

// claims returns those of a kind: exact, larger, or "" for the others.
func claims(t *testing.T, kind string) (list []claim) {
	t.Helper()
	f := testkit.Must(os.Open("testdata/claims.txt"))(t)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		world, says, ok := strings.Cut(line, ": ")
		words := strings.Fields(world)
		last := len(words) - 1
		is := ""
		if ok && (words[last] == "exact" || words[last] == "larger") {
			is, words = words[last], words[:last]
		}
		if ok && is == kind {
			list = append(list, claim{words, strings.Fields(says)})
		}
	}
	return list
}

func (c claim) explore(t *testing.T, states int, exact bool, rows map[string]*Row) (Report, Hazard) {
	t.Helper()
	h, ok := FindHazard(c.world[1])
	if !ok {
		t.Fatalf("no hazard %q", c.world[1])
	}
	l := lockOf(t, c.world[0])
	h = h.On(l.Subject)
	config := h.Config(l, "A", "B")
	for _, word := range c.world[2:] {
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "clients":
			config.Clients = strings.Split(value, ",")
		case "rounds":
			config.Rounds = n
		case "faults":
			h.Bounds.Budget = n
		case "nest":
			config.Nest = n
		case "depth":
			h.Bounds.Depth = n
		default:
			t.Fatalf("%v: %s is nothing to add", c.world, word)
		}
	}
	h.Bounds.States, h.Bounds.Exact = states, exact
	if rows[l.ID] == nil { // the claims about a lock have much to learn in common
		rows[l.ID] = NewRow(t.Context(), l)
		t.Cleanup(rows[l.ID].Close)
	}
	r := testkit.Must(rows[l.ID].Explore(t.Context(), h, config, Options{}))(t)
	t.Logf("%v: %d states,%s %s", c, r.States, lengths(r), r.Limit)
	return r, h
}

// allStates exceeds the states of every claim.
const allStates = 200_000

// TestClaims explores the claims. Claims with more states than the size of the
// test need a larger size.
func TestClaims(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("takes minutes with the race detector, and .ci/run runs it without")
	}
	states := min(testkit.Size(t, 2_000, 2_000), allStates)
	left, violations, rows := 0, 0, map[string]*Row{}
	for _, c := range claims(t, "") {
		r, h := c.explore(t, states, false, rows)
		promised := false
		for _, invariant := range c.says {
			switch violated := found(&r, invariant); {
			case invariant == "not":
				promised = true
			case promised && violated:
				t.Errorf("%v: %s is violated:%s", c, invariant, lengths(r))
			case promised && r.Limit == "states" && states < allStates:
				left++
			case promised && (r.Limit != "" && r.Limit != "depth" || !h.missing(&r.Counts).None()):
				t.Errorf("%v: limit %q; %s", c, r.Limit, h.missing(&r.Counts))
			case promised:
			case violated:
				violations++
			case r.Limit == "states" && states < allStates:
				left++
			default:
				t.Errorf("%v: %s is not violated (limit %q):%s", c, invariant, r.Limit, lengths(r))
			}
		}
	}
	if t.Logf("%d claims need more than %d states", left, states); violations < 40 || left > 33 {
		t.Errorf("%d claims are left, and %d are seen to be violated", left, violations)
	}
}

// TestKnownLengths holds verdicts, numbers of states and lengths of counterexamples, and plays these.
func TestKnownLengths(t *testing.T) {
	t.Parallel()
	rows := map[string]*Row{}
	for _, c := range claims(t, "exact") {
		r, _ := c.explore(t, 0, true, rows)
		for i := range r.Found {
			playable(t, &r, lockOf(t, c.world[0]).Subject, &r.Found[i])
		}
		verdict, reason := r.Verdict()
		got := fmt.Sprint(verdict, " ", r.States, lengths(r))
		if want := strings.Join(c.says, " "); got != want || verdict == Vacuous && reason.None() {
			t.Errorf("%v: %s (%s); want %s", c.world, got, reason, want)
		}
	}
}

// TestLarger: what docs/internals/explorer.md says that larger worlds find, they find, and the
// usual ones do not.
func TestLarger(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("takes minutes with the race detector, and .ci/run runs it without")
	}
	rows := map[string]*Row{}
	for _, c := range testkit.Some(t, claims(t, "larger"), 4, 2) {
		r, _ := c.explore(t, allStates, false, rows)
		usual, _ := claim{c.world[:2], nil}.explore(t, allStates, false, rows)
		if !found(&r, c.says[0]) || found(&usual, c.says[0]) || usual.Limit != "" {
			t.Errorf("%v: larger finds%s, usual%s %s", c, lengths(r), lengths(usual), usual.Limit)
		}
	}
}
