package scenarios

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

type Story struct {
	Name      string // the file's name without its extension; it states a claim
	Path      string // for messages
	Steps     []Step
	Generated bool     // written by FromSchedule, so it adds nothing to its run
	lines     []string // of the file as it was read or written
}

// Title is the story's title, or else the name of its file as a sentence.
func (s *Story) Title(b *prose.Book) string {
	if title := b.Title(s.Name); title != "" {
		return title
	}
	return strings.ReplaceAll(Capital(s.Name), "_", " ")
}

// Capital capitalizes a name.
func Capital(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// Harm returns the gravest harm in the story's expected output; "" if its lock holds, or
// nothing is checked. A replay with another lock does not count.
func (s *Story) Harm() history.Harm { return gravest(s.Violated(false)) }

// Violated returns the invariants that are violated by the story's expected output, with
// those of replays or without.
func (s *Story) Violated(replays bool) (ids []string) {
	for i := range s.Steps {
		for _, line := range s.Steps[i].Expected {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "VIOLATED "); ok && (replays || !s.Steps[i].Replays()) {
				ids = append(ids, id[:strings.IndexAny(id+":", " :")])
			}
		}
	}
	return ids
}

// gravest returns the gravest harm of some violated invariants; "" for none.
func gravest(broken []string) (harm history.Harm) {
	for _, h := range slices.Backward(history.Harms()) {
		if slices.ContainsFunc(broken, func(id string) bool { return history.HarmOf(id) == h }) {
			harm = h
		}
	}
	return harm
}

// Questions counts what the story asks.
func (s *Story) Questions() (n int) {
	for i := range s.Steps {
		n += len(s.Steps[i].Predict)
	}
	return n
}

// Strategy is the id of the lock that the story is about.
func (s *Story) Strategy() string { return s.Steps[0].world.Strategy }

// Asserts reports whether the story expects anything of a lock: it has a check, or
// output after the first step.
func (s *Story) Asserts() bool {
	return slices.ContainsFunc(s.Steps[1:], func(step Step) bool { return step.name == "check" || len(step.Expected) > 0 })
}

// A Step is one command of a story with its captions and questions.
type Step struct {
	Captions map[string]string // by language; "en" for a plain "#"
	Predict  []Prediction      // asked before the command
	Line     int               // of the command, from 1
	Text     string            // the command as written
	Expected []string          // the expected output

	command
	from, to int  // the expected output is lines[from:to] of the story
	bare     bool // no dashes below the command: its output is not written yet
}

// Checks reports whether the command checks an invariant.
func (s *Step) Checks(invariant string) bool {
	return s.name == "check" && (len(s.only) == 0 || slices.Contains(s.only, invariant))
}

// Replays reports whether the command is about another run: the story's with another lock.
func (s *Step) Replays() bool { return s.against != "" }

// An Error is a mistake in a story file.
type Error = lang.Placed

const (
	maxStory = 256 << 10 // bytes of a story file
	divider  = "----"
)

// Parse reads a story. The error is an *Error.
func Parse(path, name, text string) (s *Story, err error) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case *Error: // of fail
			s, err = nil, ended
		default:
			panic(ended)
		}
	}()
	s = &Story{Name: name, Path: path}
	if err := checkText(text); err != nil {
		return nil, lang.At(path, 1, err)
	}
	text = strings.TrimPrefix(text, "\ufeff") // byte order mark
	s.lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	p := parser{story: s}
	for p.at < len(s.lines) {
		p.line()
	}
	if len(p.captions) > 0 || len(p.predict) > 0 {
		p.fail(len(s.lines)-1, 0, "the file ends in a caption or prediction without a command")
	}
	if len(s.Steps) == 0 {
		p.fail(0, 0, "no command; a story begins with: world strategy=set-lua")
	}
	return s, nil
}

// checkText checks the size and encoding of a story.
func checkText(text string) error {
	switch {
	case len(text) > maxStory:
		return lang.Errorf("the file has %d bytes; at most %d fit", len(text), maxStory)
	case !utf8.ValidString(text):
		return lang.Errorf("the file is not UTF-8 text")
	}
	return nil
}

// trimmed is a line without trailing white space.
func trimmed(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) }

type parser struct {
	story    *Story
	at       int // the next line, as an index
	captions map[string]string
	predict  []Prediction
}

// fail ends Parse with an error.
func (p *parser) fail(line, col int, problem string, args ...any) {
	panic(&Error{Path: p.story.Path, Line: line + 1, Col: col + 1, Err: history.Briefly{Err: lang.Errorf(problem, args...)}})
}

func (p *parser) line() {
	at := p.at
	text := trimmed(p.story.lines[at])
	p.at++
	switch {
	case text == "":
	case strings.HasPrefix(text, "#"):
		p.caption(text)
	case isPrediction(text) && strings.HasPrefix(text, "predict"):
		p.prediction(at, text)
	case isPrediction(text):
		p.because(at, text)
	case text == divider:
		p.fail(at, 0, "%s without a command before it", divider)
	default:
		p.step(at, text)
	}
}

// caption adds a line of prose; "#zh" sets its language.
func (p *parser) caption(text string) {
	language, words := "en", text[1:]
	if tag, rest, ok := strings.Cut(words, " "); ok && len(tag) == 2 && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz") == "" {
		language, words = tag, rest
	}
	if p.captions == nil {
		p.captions = map[string]string{}
	}
	joined := p.captions[language] + " " + strings.TrimSpace(words)
	p.captions[language] = strings.TrimSpace(joined)
}

// step parses a command, the dashes and the expected output.
func (p *parser) step(at int, text string) {
	step := Step{Captions: p.captions, Predict: p.predict, Line: at + 1, Text: text}
	p.captions, p.predict = nil, nil
	words := split(text)
	parse, ok := commands[words[0].text]
	if !ok && p.lacksDivider(at) {
		p.fail(at, 0, "%q is not a command; if it is output, %s is missing above it", words[0].text, divider)
	}
	if !ok {
		p.fail(at, words[0].col, "%q is not a command; %s", words[0].text, lang.Fit(words[0].text, slices.Sorted(maps.Keys(commands))))
	}
	first := len(p.story.Steps) == 0
	if (words[0].text == "world") != first {
		p.fail(at, words[0].col, "a story has one world line, and it comes first")
	}
	args := &arguments{parser: p, line: at, words: words[1:], end: utf8.RuneCountInString(text)}
	if !first {
		args.world = p.story.Steps[0].world
	}
	step.command = parse(args)
	for _, w := range args.words {
		args.wrong(w, "%q is one word too many", w.text)
	}
	p.checkPredictions(&step)
	step.bare = p.at >= len(p.story.lines) || trimmed(p.story.lines[p.at]) != divider
	if !step.bare {
		p.at++
	}
	step.from = p.at
	for !step.bare && p.at < len(p.story.lines) && trimmed(p.story.lines[p.at]) != "" {
		text := trimmed(p.story.lines[p.at])
		if !isOutput(text) {
			p.fail(p.at, 0, "%q stands in expected output; a blank line ends it, before the next caption or command", text)
		}
		step.Expected = append(step.Expected, text)
		p.at++
	}
	step.to = p.at
	p.story.Steps = append(p.story.Steps, step)
}

// lacksDivider reports whether a line follows a command without dashes.
func (p *parser) lacksDivider(at int) bool {
	n := len(p.story.Steps)
	return n > 0 && p.story.Steps[n-1].bare && p.story.Steps[n-1].to == at
}

// A word of a command line and the column where it begins.
type word struct {
	text string
	col  int
}

var wordPattern = regexp.MustCompile(`[^ \t]+`)

func split(text string) (list []word) {
	for _, at := range wordPattern.FindAllStringIndex(text, -1) {
		list = append(list, word{text[at[0]:at[1]], utf8.RuneCountInString(text[:at[0]])})
	}
	return list
}
