package pages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/course"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// A question is one of a story, and what its answer leads to where it tells where to begin.
type question struct {
	*scenarios.Story
	asked
	scenarios.Start
}

func (q question) told() *scenarios.Prediction { return &q.Steps[q.beat].Predict[q.n] }

// questions returns the questions of stories that a learner has answered so, each once.
func (s *shared) questions(stories []*scenarios.Story, so func(a progress.Answer, given bool) bool) (out []question) {
	seen := map[string]bool{}
	for _, story := range stories {
		for beat, step := range story.Steps {
			for n, q := range step.Predict {
				if a, given := s.progress.Predictions[story.Name][q.Question]; !seen[story.Name] && so(a, given) {
					out = append(out, question{Story: story, asked: asked{beat, n}})
				}
			}
		}
		seen[story.Name] = true
	}
	return out
}

// missed returns the questions of chapters whose last answer was wrong.
func (s *shared) missed(chapters ...course.Chapter) []question {
	var stories []*scenarios.Story
	for _, c := range chapters {
		stories = append(stories, c.Plays()...)
	}
	return s.questions(stories, func(a progress.Answer, given bool) bool { return given && !a.Last })
}

// An againPage asks the first of some missed questions once more, in another form, or of those that tell
// where in the usual course to begin.
type againPage struct {
	textPage
	asked  []question
	line   bool          // it asks for a line of code, where it can
	then   func() act    // after the last one
	runs   []*lesson.Run // of the story, and of the neighbouring one, if there is one
	given  *string       // the answer; nil before it
	right  bool          // whether it is
	number string        // the answer, as far as it is typed

	picture picture
}

// again asks missed questions, one after the other.
func (s *shared) again(list []question, line bool, then func() act) act {
	if len(list) == 0 {
		return then()
	}
	p := &againPage{textPage: textPage{shared: s}, asked: list, line: line, then: then}
	p.text = p.lines
	return instead(p)
}

// starts returns the questions that tell where to begin: the last one of each story.
func (s *shared) starts() (list []question) {
	for _, start := range scenarios.WhichLock().Begin {
		story, _ := scenarios.Find(start.Story)
		of := s.questions([]*scenarios.Story{story}, func(progress.Answer, bool) bool { return true })
		list = append(list, question{story, of[len(of)-1].asked, start})
	}
	return list
}

func (p *againPage) title() (left, right string) {
	id := "again"
	if p.asked[0].Wrong != "" {
		id = "begin"
	}
	lock := p.asked[0].Strategy()
	if p.runs != nil {
		run, _ := p.shown()
		lock = run.History.Config.Strategy
	}
	return p.Text(id), p.lockName(lock)
}

// opened plays the story, and the run beside it.
func (p *againPage) opened() act {
	q := p.asked[0]
	settings, _ := q.told().Elsewhere()
	beside, err := q.With(strings.Fields(settings)...)
	if err != nil {
		return p.onward()
	}
	stories := []*scenarios.Story{q.Story}
	if beside != q.Story {
		beside.Steps = beside.Steps[:q.beat+1] // what follows need not be possible
		stories = append(stories, beside)
	}
	return begin(func(ctx context.Context) act {
		var runs []*lesson.Run
		for _, story := range stories {
			if result, err := p.shared.run(ctx, story); err == nil && q.n < len(result.Beats[q.beat].Questions) {
				runs = append(runs, lesson.Of(result))
			}
		}
		return func(s *Shell) Cmd {
			if len(runs) < len(stories) {
				return s.do(p.onward())
			}
			p.runs = runs
			return nil
		}
	})
}

func (p *againPage) waits(name string) patience { return until(p.runs != nil, name) }

// begins returns the chapter with which to begin; "" where another question tells.
func (p *againPage) begins() string {
	if p.right {
		return p.asked[0].Right
	}
	return p.asked[0].Wrong
}

func (p *againPage) onward() act {
	if at := p.begins(); at != "" {
		return p.beginAt(at)
	}
	return p.again(p.asked[1:], p.line, p.then)
}

// question returns the question as it was, and in its other form, after what the story told.
func (p *againPage) question() (was, is lesson.Question) {
	q := p.asked[0]
	was = p.inWords(&p.runs[0].Beats[q.beat].Questions[q.n])
	if is = was; q.Wrong == "" {
		is = p.runs[0].Again(was, q.beat, q.n, p.line, func(source string) string {
			file, code := p.codeAt(source)
			lines := strings.Split(code.Text, "\n")
			return fmt.Sprintf("%s:%d  %s", file, code.Line, strings.TrimSpace(lines[min(code.Line, len(lines))-1]))
		})
	}
	is.Ask = p.Sentences(q.Steps[q.beat].Caption(p.Book, p.lang), is.Ask)
	return was, is
}

// shown returns the run that the question is about, and the row at which its picture ends: before
// the question is decided, or where it is.
func (p *againPage) shown() (run *lesson.Run, row int) {
	q := p.asked[0]
	run = p.runs[0]
	if _, is := p.question(); is.With != "" {
		run = p.runs[1]
	}
	from, _ := run.RowsOf(q.beat)
	if p.given == nil {
		return run, max(0, from-1)
	}
	return run, run.Decides(&run.Beats[q.beat].Questions[q.n], from)
}

func (p *againPage) keys() []key {
	if p.runs == nil {
		return nil
	}
	if p.given != nil {
		return append(p.textPage.keys(), onwardKey.to(p.onward))
	}
	_, is := p.question()
	answer := func(given string) act {
		p.given, p.right = &given, given == is.Answer().Answer
		return p.guess(p.asked[0].Name, p.asked[0].told().Question, p.right)
	}
	if p.written() != nil {
		return slices.Concat([]key{
			keyOf("number").to(func() act {
				number, _ := strconv.Atoi(p.number) // it has digits
				return answer(strconv.Itoa(number))
			}).when(p.number != "", "why_question"),
			keyOf("erase").now(func() { p.number = p.number[:len(p.number)-1] }).when(p.number != ""),
		}, typing(&p.number, mostDigits, keyOf("digits")), answering(nil, answer))
	}
	return answering(is.Choices, answer)
}

const mostDigits = 4 // as in web/static/keys.js

var typable = regexp.MustCompile(fmt.Sprintf(`^[0-9]{1,%d}$`, mostDigits))

// written returns the answer as it is typed, to a question whose answers are numbers.
func (p *againPage) written() *string {
	if p.runs == nil || p.given != nil || p.asked[0].Wrong != "" || p.talk != nil { // a class has choices
		return nil
	}
	if _, is := p.question(); slices.ContainsFunc(is.Choices, func(c lesson.Choice) bool { return !typable.MatchString(c.Answer) }) {
		return nil
	}
	return &p.number
}

// lines returns the question, or what is said to its answer, and the run below it.
func (p *againPage) lines(w int) render.Lines {
	if p.runs == nil {
		return nil
	}
	out := append(p.asks(w, bracketed), nil)
	if number := p.written(); number != nil {
		out = append(out, render.Strong.Line("> "+*number+"_"), nil)
	}
	run, row := p.shown()
	return append(out, p.Lanes(p.picture.of(run), render.Cursor{At: row}, w, max(leastSteps, p.room()-len(out)))...)
}

// asks returns the question with its answers, or with what is said to the given one.
func (p *againPage) asks(w int, mark func(key, label string) string) render.Lines {
	was, is := p.question()
	if p.given == nil {
		if p.written() != nil {
			is.Choices = nil
			is.Ask = p.Sentences(is.Ask, p.Text("again_number"))
		}
		return p.asking(is, mark, w)
	}
	here, given := was.Answer(), *p.given
	reasons := passages{{Label: p.Fill("again_was", facts{What: p.asked[0].Strategy(), Said: here.Label}), Text: here.Because}}
	if here == is.Answer() {
		reasons = is.Reasons(given)
	}
	if at := p.begins(); at != "" {
		reasons = append(reasons, p.passage("begin", p.lockName(at)))
	}
	return p.explained(is, given, reasons, w)
}

func (p *againPage) sections() []Section {
	if p.runs == nil {
		return nil
	}
	kind := AskSection
	run, row := p.shown()
	if p.given != nil {
		kind = CardSection
	}
	return []Section{{Kind: kind, Lines: p.asks(p.width, unmarked)}, p.stepsOf(p.picture.of(run), row, p.Text("steps"), nil)}
}
