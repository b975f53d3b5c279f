package scenarios

import (
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// With returns the story with changes to its world line, such as store=sql or
// ttl=10s. The expected output stays.
func (s *Story) With(settings ...string) (*Story, error) {
	if len(settings) == 0 {
		return s, nil
	}
	config := s.Steps[0].world
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, lang.Errorf("%q is not of the form name=value, such as ttl=5s", setting)
		}
		if err := config.Set(name, value); err != nil {
			return nil, err
		}
	}
	lines := slices.Clone(s.lines)
	lines[s.Steps[0].Line-1] = "world " + config.String()
	return Parse(s.Path, s.Name, strings.Join(lines, "\n"))
}

// For returns the story with another lock in its world line, for RunAgainst.
func (s *Story) For(lock string) *Story {
	other := *s
	other.Steps = slices.Clone(s.Steps)
	world := &other.Steps[0]
	world.Text = strings.Replace(world.Text, "strategy="+s.Strategy(), "strategy="+lock, 1)
	return &other
}

// Alone returns the story without its replays with other locks.
func (s *Story) Alone() *Story {
	alone := *s
	alone.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return step.name == "replay" })
	return &alone
}
