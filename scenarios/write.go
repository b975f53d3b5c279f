package scenarios

import (
	"fmt"
	"maps"
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

// write gives a generated story its text, and each part its lines there.
func (s *Story) write() error {
	s.lines = nil
	put := func(lines ...string) { s.lines = append(s.lines, lines...) }
	for i := range s.Steps {
		step := &s.Steps[i]
		for _, language := range languagesOf(step.Captions) {
			put(strings.TrimSpace(tagged("#", "", language) + " " + step.Captions[language]))
		}
		for j := range step.Predict {
			step.Predict[j].line = len(s.lines)
			put(step.Predict[j].text()...)
		}
		put(step.Text, divider)
		step.Line, step.from = len(s.lines)-1, len(s.lines)
		if err := step.checkOutput(step.Expected); err != nil {
			return err
		}
		put(step.Expected...)
		step.to, step.bare = len(s.lines), false
		put("")
	}
	return checkText(s.Source())
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

// text writes a prediction as a story does, in lines.
func (p *Prediction) text() []string {
	asks := p.Fact.String()
	if p.Key != "" {
		asks += " = " + p.Key
	}
	lines := []string{fmt.Sprintf(`predict "%s" %s`, p.Question, asks)}
	for _, language := range languagesOf(p.asked) {
		lines = append(lines, fmt.Sprintf(`%s "%s"`, tagged("predict", "-", language), p.asked[language]))
	}
	for _, r := range p.reasons {
		for _, language := range languagesOf(r.texts) {
			lines = append(lines, fmt.Sprintf(`%s %s "%s"`, tagged("because", "-", language), r.answer, r.texts[language]))
		}
	}
	return lines
}

// tagged adds the language to a word, unless it is English.
func tagged(word, dash, language string) string {
	if language == "en" {
		return word
	}
	return word + dash + language
}

// languagesOf lists the languages of some texts, English first.
func languagesOf(texts map[string]string) []string {
	langs := slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(language string) bool { return language == "en" })
	if _, ok := texts["en"]; ok {
		langs = slices.Insert(langs, 0, "en")
	}
	return langs
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
	alone.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return step.name == "replay" })
	return &alone
}
