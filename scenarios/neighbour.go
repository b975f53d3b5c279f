package scenarios

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// CheckChoices plays the neighbouring runs that a story names behind its reasons: the same
// commands in a world with other settings. There the wrong answer has to be the right one.
func CheckChoices(ctx context.Context, s *Story) error {
	for i, step := range s.Steps {
		for n, p := range step.Predict {
			for _, r := range p.reasons {
				if len(r.with) == 0 {
					continue
				}
				other, err := s.With(r.with...)
				if err != nil {
					return lang.At(s.Path, p.Line(), err)
				}
				other.Steps = slices.Clone(other.Steps[:i+1])
				result, err := Run(ctx, other)
				if err != nil {
					return lang.At(s.Path, p.Line(), err)
				}
				if got := result.Beats[i].Questions[n].Answer; got != r.answer {
					return lang.At(s.Path, p.Line(), lang.Errorf("with %s the answer to %q is %q, not %q", strings.Join(r.with, " "), p.Question, got, r.answer))
				}
			}
		}
	}
	return nil
}
