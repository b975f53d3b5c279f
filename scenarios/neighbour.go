package scenarios

import (
	"context"
	"strings"

	"lockstep/internal/lang"
)

// CheckChoices plays the neighbouring runs that a story names behind its reasons: the same
// commands in a world with other settings. There the wrong answer has to be the right one. Of
// the settings that are answers themselves, those of the right one alone have to hold.
func CheckChoices(ctx context.Context, s *Story) error {
	for i, step := range s.Steps {
		for n, p := range step.Predict {
			for _, r := range p.reasons {
				want := r.answer
				if len(r.with) == 0 {
					continue
				}
				if p.Fact.OfSettings() { // only with the right one there is nothing to answer
					want = map[bool]string{false: p.Key}[want == p.Key]
				}
				other, err := s.With(r.with...)
				var result *Result
				if err == nil {
					other.Steps = other.Steps[:i+1]
					result, err = Run(ctx, other)
				}
				if err != nil {
					return lang.At(s.Path, p.Line(), err)
				}
				got := "" // where no step of the command decides it
				if decided := result.Beats[i].Questions; n < len(decided) {
					got = decided[n].Answer
				}
				if got != want {
					return lang.At(s.Path, p.Line(), lang.Errorf("with %s the answer to %q is %q, not %q", strings.Join(r.with, " "), p.Question, got, want))
				}
			}
		}
	}
	return nil
}
