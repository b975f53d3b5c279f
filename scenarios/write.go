package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// Source is the story's text, as its file holds it.
func (s *Story) Source() string { return joined(s.lines) }

func joined(lines []string) string { return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n" }

// Rewrite returns the story's text with other expected output, one block for
// each step.
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

// write gives a story that was not read the text that Parse would read it from,
// and every part its place in there.
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

// expects says what keeps some output from being expected of the step: it would
// not be read as it is.
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

// tagged is a word with the language of what follows it, which English needs not.
func tagged(word, dash, language string) string {
	if language == "en" {
		return word
	}
	return word + dash + language
}

// languagesOf are those of some texts, English first.
func languagesOf(texts map[string]string) []string {
	langs := slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(language string) bool { return language == "en" })
	if _, ok := texts["en"]; ok {
		langs = slices.Insert(langs, 0, "en")
	}
	return langs
}
