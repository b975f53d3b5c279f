package scenarios

import (
	"os"
	"slices"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// Source is the text of the story's file.
func (s *Story) Source() string { return joined(s.lines) }

func joined(lines []string) string { return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n" }

// Rewrite returns the story's text with other expected output, one block for each
// step.
func (s *Story) Rewrite(outputs [][]string) (string, error) {
	var lines []string
	at := 0
	for i, step := range s.Steps {
		if err := step.checkOutput(outputs[i]); err != nil {
			return "", err
		}
		lines = append(lines, s.lines[at:step.from]...)
		if step.bare {
			lines = append(lines, divider)
		}
		lines = append(lines, outputs[i]...)
		if at = step.to; step.bare && at < len(s.lines) && trimmed(s.lines[at]) != "" {
			lines = append(lines, "")
		}
	}
	text := joined(append(lines, s.lines[at:]...))
	return text, checkText(text)
}

// checkOutput rejects output that Parse would not read back as it is.
func (s *Step) checkOutput(output []string) error {
	for _, line := range output {
		if !isOutput(line) {
			return lang.Errorf("the output of line %d cannot stand in a file: %q", s.Line, line)
		}
	}
	return nil
}

func isOutput(line string) bool {
	return line != "" && line == trimmed(line) && !strings.Contains(line, "\n") && line != divider && line[0] != '#' && !isPrediction(line)
}

// Update writes the output of a run into the story's file, all of it or nothing. The
// file keeps its mode and line endings.
func (s *Story) Update(r *Result) error {
	info, err := os.Lstat(s.Path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return lang.Errorf("it is not a regular file")
	case info.Mode()&0o200 == 0:
		return lang.Errorf("the file is read-only")
	}
	old, err := os.ReadFile(s.Path)
	if err != nil {
		return err
	}
	text, err := s.Rewrite(r.Outputs())
	if err != nil {
		return err
	}
	if n := strings.Count(string(old), "\r\n"); n > 0 && n == strings.Count(string(old), "\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return files.Write(s.Path, []byte(text), 0o644)
}

// With returns the story with other settings in its world line, such as store=sql or
// ttl=10s. Its expected output stays the same.
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

// WithoutReplays returns the story without its replays against other locks.
func (s *Story) WithoutReplays() *Story {
	alone := *s
	alone.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return step.Replays() })
	return &alone
}
