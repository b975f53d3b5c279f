package scenarios

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// twoChoices is how many questions of the library can be answered by tossing a coin. It only
// falls; the goal is 0.
const twoChoices = 0

func TestChoices(t *testing.T) {
	two, first, asked := 0, 0, 0
	for _, s := range allStories(t) {
		if err := CheckChoices(t.Context(), s); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, step := range s.Steps {
			for _, p := range step.Predict {
				asked++
				if choices := p.Choices(); len(choices) == 2 {
					two++
				} else if p.Key == choices[0] {
					first++
				}
			}
		}
	}
	if two != twoChoices {
		t.Errorf("%d questions have two choices, and twoChoices is %d; it only falls", two, twoChoices)
	}
	if three := asked - two; first < three/6 || first > three/2 {
		t.Errorf("the first of the choices is right %d times of %d", first, three)
	}
}

// TestWrongNeighbour: a choice that another world does not give is no choice.
func TestWrongNeighbour(t *testing.T) {
	story := func(with string) string {
		return "world strategy=set-del clients=A,B ttl=5s\n----\n\nrun A until=in-critical\n----\n\nadvance 6s\n----\n\n" +
			"predict \"Who is inside?\" within = A+B\nbecause A+B \"The lease has ended.\"\nbecause A \"B is refused.\" " + with + "\nrun B until=in-critical\n----\n"
	}
	if err := CheckChoices(t.Context(), parsed(t, story("ttl=10s"))); err != nil {
		t.Error(err)
	}
	if err := CheckChoices(t.Context(), parsed(t, story("ttl=4s"))); err == nil || !strings.Contains(err.Error(), `is "A+B", not "A"`) {
		t.Errorf("a lease that ends as well: %v", err)
	}
	undecided := "world strategy=zk-sequential clients=A,B ttl=5s work=10s\n----\n\nrun A until=after:read\n----\n\ncut A r1\n----\n\nadvance 4s\n----\n\n" +
		"predict \"What becomes of A's write?\" write A = accepted\nbecause accepted \"It may.\"\nbecause none \"It has stopped.\" strategy=zk-suspended\nrun A\n----\n"
	if err := CheckChoices(t.Context(), parsed(t, undecided)); err == nil || !strings.Contains(err.Error(), `is "", not "none"`) {
		t.Errorf("a question that nothing decides there: %v", err)
	}
	which := func(other string) *Story {
		return parsed(t, "world strategy=set-del clients=A,B ttl=5s\n----\n\nrun A until=in-critical\n----\n\nadvance 6s\n----\n\n"+
			"predict \"B gets in. What keeps it out?\" holds = ttl=10s\nbecause ttl=10s \"That is longer.\"\nbecause "+other+" \"That is not.\"\nrun B until=in-critical\n----\n")
	}
	if err := CheckChoices(t.Context(), which("ttl=4s")); err != nil {
		t.Error(err)
	}
	if err := CheckChoices(t.Context(), which("ttl=9s")); err == nil || !strings.Contains(err.Error(), `with ttl=9s the answer to "B gets in. What keeps it out?" is "", not "ttl=10s"`) {
		t.Errorf("two changes that help: %v", err)
	}
	if _, err := Parse("s.txt", "s", story("later")); err == nil {
		t.Error("what is no setting stands behind a reason")
	}
	unsaid := "world strategy=setnx clients=A,B\n----\n\npredict \"With which?\" holds\nbecause ttl=1s \"x.\"\nbecause ttl=2s \"y.\"\nrun A\n----\n"
	if _, err := Parse("s.txt", "s", unsaid); err == nil || !strings.Contains(err.Error(), "holds wants its answer") {
		t.Errorf("a setting that nobody names: %v", err)
	}
}

// badOutcome is how many questions of the library the rule answers that what goes wrong is what
// happens: of the answers whose runs are known, the one whose run violates an invariant. It only falls;
// the goal is a third.
const badOutcome = 37

// TestBadOutcome plays the story and the neighbouring runs of its choices to their ends, or to
// the question where a later command is not possible in another world.
func TestBadOutcome(t *testing.T) {
	right, wrong, open := 0, 0, 0
	violates := func(s *Story) bool {
		r, err := Run(t.Context(), s)
		return err == nil && len(r.Violations) > 0
	}
	for _, s := range allStories(t) {
		bad := violates(s)
		for i, step := range s.Steps {
			for _, p := range step.Predict {
				others := false
				for _, r := range p.reasons {
					if len(r.with) == 0 {
						continue
					}
					other := testkit.Must(s.With(r.with...))(t)
					if _, err := Run(t.Context(), other); err != nil {
						other.Steps = other.Steps[:i+1]
					}
					others = others || violates(other)
				}
				switch {
				case bad == others: // the rule tells nothing
					open++
				case bad:
					right++
				default:
					wrong++
				}
			}
		}
	}
	t.Logf("right %d times, wrong %d times, no help %d times", right, wrong, open)
	if right != badOutcome {
		t.Errorf("what goes wrong is right %d times, and badOutcome is %d; it only falls", right, badOutcome)
	}
}
