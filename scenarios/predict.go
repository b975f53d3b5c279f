package scenarios

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Prediction is a question that a learner answers before the reveal. A fact of the
// run decides the right answer.
type Prediction struct {
	Question string // in English
	Fact     Fact
	Key      string // the answer that the author expects; "" for none
	Answer   string // the answer of the run; "" before it is played
	At       int    // the event that decides it
	line     int    // in the file, as an index
	asked    map[string]string
	reasons  []reason // in the order of the file
	offers   []string // the answers if no reason names any
}

// A reason explains why one answer is right or wrong.
type reason struct {
	answer string
	texts  map[string]string // by language
	with   []string          // the settings of a world in which it is the answer; to holds, the answer itself
}

// Ask returns the question in a language, or in English.
func (p *Prediction) Ask(language string) string {
	return cmp.Or(p.asked[language], p.Question)
}

// Choices are the possible answers: those that the story explains, or else all that
// the fact offers; and the run's answer. Amounts are in their order, others as the
// question draws it: the place of an answer tells nothing.
func (p *Prediction) Choices() []string {
	out := slices.Clone(p.offers)
	if len(p.reasons) > 0 {
		out = nil
	}
	for _, r := range p.reasons {
		out = append(out, r.answer)
	}
	if p.Answer != "" {
		out = append(out, p.Answer)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	by := p.drawn
	if !slices.ContainsFunc(out, func(answer string) bool { return amount(answer) < 0 }) {
		by = amount
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(by(a), by(b)) })
	return out
}

// drawn is a number of an answer that depends on nothing but the question.
func (p *Prediction) drawn(answer string) int {
	sum := fnv.New32a()
	sum.Write([]byte(p.Question + answer))
	return int(sum.Sum32() >> 1)
}

// amount is an answer as a number or a time; -1 for another one.
func amount(answer string) int {
	d, err := time.ParseDuration(answer)
	if err != nil {
		if d, err = time.ParseDuration(answer + "s"); err != nil {
			return -1
		}
	}
	return int(d)
}

// Because explains why an answer is right or wrong, in a language or in English; ""
// if the story does not.
func (p *Prediction) Because(language, answer string) string {
	at := p.reason(answer)
	if at < 0 {
		return ""
	}
	return cmp.Or(p.reasons[at].texts[language], p.reasons[at].texts["en"])
}

// Elsewhere returns the settings of a neighbouring run and the answer that is right there; "" where
// the story names none.
func (p *Prediction) Elsewhere() (settings, answer string) {
	for _, r := range p.reasons {
		if len(r.with) > 0 && r.with[0] != r.answer {
			return strings.Join(r.with, " "), r.answer
		}
	}
	return
}

// Line is the question's line in the file, from 1.
func (p *Prediction) Line() int { return p.line + 1 }

// Translated reports whether the question and its explanations exist in a language.
func (p *Prediction) Translated(language string) bool {
	return (language == "en" || p.asked[language] != "") &&
		!slices.ContainsFunc(p.reasons, func(r reason) bool { return r.texts[language] == "" })
}

func (p *Prediction) reason(answer string) int {
	return slices.IndexFunc(p.reasons, func(r reason) bool { return r.answer == answer })
}

// maxChoices is how many answers have keys.
const maxChoices = 9

// directive splits a line such as: because-zh yes "..."
func directive(text string) (name, language, rest string) {
	word, rest, _ := strings.Cut(text, " ")
	name, language, other := strings.Cut(word, "-")
	if !other {
		language = "en"
	}
	return name, language, strings.TrimSpace(rest)
}

// isPrediction reports whether a line is part of a prediction.
func isPrediction(text string) bool {
	name, language, _ := directive(text)
	return (name == "predict" || name == "because") && len(language) == 2
}

// prediction parses: predict "What does B's acquisition come to?" acquire B =
// refused. In another language the line has the question only: predict-zh "..."
func (p *parser) prediction(at int, text string) {
	const form = `predict "Who holds the lock now?" holder = B`
	_, language, rest := directive(text)
	col := strings.Index(text, " ") + 1
	if !strings.HasPrefix(rest, `"`) || strings.Count(rest, `"`) != 2 {
		p.fail(at, col, "no question in quotes; use for example %s", form)
	}
	question, asks, _ := strings.Cut(rest[1:], `"`)
	asks = strings.TrimSpace(asks)
	if language != "en" {
		p.asked(at, language, question, asks)
		return
	}
	col = utf8.RuneCountInString(text) - utf8.RuneCountInString(asks)
	if len(p.story.Steps) == 0 {
		p.fail(at, 0, "a question comes before a command of the run, and the world line before both")
	}
	words, key, keyed := strings.Cut(asks, "=")
	fact, err := parseFact(strings.Fields(words), p.story.Steps[0].world.Clients)
	if err != nil {
		p.fail(at, col, "%v; such as %s", err, form)
	}
	if key = strings.TrimSpace(key); keyed && key == "" {
		p.fail(at, utf8.RuneCountInString(text), "no answer after =; use for example %s", form)
	}
	fact.key = key
	p.predict = append(p.predict, Prediction{
		Question: question, Fact: fact, Key: key, line: at, asked: map[string]string{}, offers: fact.offers(p.story.Steps[0].world),
	})
}

// asked adds a translated question to the latest prediction.
func (p *parser) asked(at int, language, question, leftover string) {
	if len(p.predict) == 0 {
		p.fail(at, 0, "no prediction comes before it; the English one comes first")
	}
	asked := p.predict[len(p.predict)-1].asked
	switch {
	case leftover != "":
		p.fail(at, 0, "%q is too many: the answer stands with the English question", leftover)
	case asked[language] != "" || question == "":
		p.fail(at, 0, "use one question in each language")
	}
	asked[language] = question
}

// because parses an explanation: because no "The key has no TTL."
func (p *parser) because(at int, text string) {
	_, language, rest := directive(text)
	answer, why, _ := strings.Cut(rest, `"`)
	answer = strings.TrimSpace(answer)
	why, after, closed := strings.Cut(why, `"`)
	with := strings.Fields(after)
	switch {
	case len(p.predict) == 0:
		p.fail(at, 0, "no prediction comes before it")
	case answer == "" || why == "" || !closed || slices.ContainsFunc(with, func(s string) bool { return !strings.Contains(s, "=") }):
		p.fail(at, strings.Index(text, " ")+1, `use an answer and a reason in quotes, such as: because no "The key has no TTL."`)
	}
	latest := &p.predict[len(p.predict)-1]
	if latest.Fact.OfSettings() {
		with = []string{answer}
	}
	i := latest.reason(answer)
	switch {
	case i < 0 && language != "en":
		p.fail(at, 0, "the answer %q is not explained in English, which comes first", answer)
	case i < 0 && len(latest.reasons) == maxChoices:
		p.fail(at, 0, "at most %d answers fit", maxChoices)
	case i < 0:
		i = len(latest.reasons)
		latest.reasons = append(latest.reasons, reason{answer, map[string]string{}, with})
	case latest.reasons[i].texts[language] != "":
		p.fail(at, 0, "the answer %q is explained twice", answer)
	}
	latest.reasons[i].texts[language] = why
}

// checkPredictions rejects a prediction that explains only one answer or not the expected
// one, one without answers to choose from, and one that the command does not decide.
func (p *parser) checkPredictions(step *Step) {
	for _, d := range step.Predict {
		n := len(d.reasons)
		switch {
		case n == 1 || n > 1 && d.Key != "" && d.reason(d.Key) < 0:
			p.fail(d.line, 0, "%q is explained, and the right answer and another one want a because, or none does", d.Question)
		case d.Fact.OfSettings() && d.Key == "":
			p.fail(d.line, 0, "%s wants its answer, which this run alone does not tell: as %s = strategy=set-lua", d.Fact, d.Fact)
		case n == 0 && d.offers == nil:
			p.fail(d.line, 0, "%s has more answers than there are keys, %d: name those to choose from, each with a because", d.Fact, maxChoices)
		case n == 0 && d.Key != "" && !slices.Contains(d.offers, d.Key):
			p.fail(d.line, 0, "%q is not an answer to %s; %s", d.Key, d.Fact, lang.Fit(d.Key, d.offers))
		case d.Fact.kind == "recovers" && !step.Checks(history.LockRecovers):
			p.fail(d.line, 0, "%q does not try whether the lock recovers; %s comes before a plain check, or before check %s", step.Text, d.Fact, history.LockRecovers)
		}
	}
}
