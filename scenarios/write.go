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

// Source is the story's text.
func (s *Story) Source() string { return joined(s.lines) }

func joined(lines []string) string { return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n" }

// Rewrite returns the story's text with new expected output, a block for each
// step.
func (s *Story) Rewrite(outputs [][]string) (string, error) {
	var lines []string
	at := 0
	for i, step := range s.Steps {
		if err := step.expects(outputs[i]); err != nil {
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
	return text, fits(text)
}

// write gives a story that was not parsed its text, and each part its place in
// it.
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
		if err := step.expects(step.Expected); err != nil {
			return err
		}
		put(step.Expected...)
		step.to, step.bare = len(s.lines), false
		put("")
	}
	return fits(s.Source())
}

// expects returns an error for output that could not be read back.
func (s *Step) expects(output []string) error {
	for _, line := range output {
		if !isOutput(line) {
			return lang.Errorf("the output of line %d cannot stand in a file: %q", s.Line, line)
		}
	}
	return nil
}

func isOutput(line string) bool {
	return line != "" && line == trimmed(line) && !strings.Contains(line, "\n") && line != divider && line[0] != '#' && !isAbout(line)
}

// text writes a prediction in the language of stories.
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

// tagged adds a language to a word; English has no tag.
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

// Update writes the output of a run into the story's file, atomically, and keeps
// its mode and line ends.
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
	return files.Write(s.Path, []byte(text), info.Mode().Perm())
}
