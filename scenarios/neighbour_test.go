package scenarios

import (
	"strings"
	"testing"
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
	if _, err := Parse("s.txt", "s", story("later")); err == nil {
		t.Error("what is no setting stands behind a reason")
	}
}
