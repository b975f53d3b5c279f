package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// arguments are the words after a command's name. What does not fit ends the parsing: see
// parser.fail.
type arguments struct {
	parser *parser
	line   int
	words  []word
	end    int // the column after the last word
	world  history.Config
}

func (a *arguments) wrong(w word, problem string, args ...any) {
	a.parser.fail(a.line, w.col, problem, args...)
}

// must is wrong with an error, if there is one.
func (a *arguments) must(w word, err error) {
	if err != nil {
		a.wrong(w, "%v", err)
	}
}

// next takes the next word; what names it in an error.
func (a *arguments) next(what lang.Message) word {
	if len(a.words) == 0 {
		a.parser.fail(a.line, a.end, "%v is missing", what)
	}
	w := a.words[0]
	a.words = a.words[1:]
	return w
}

// rest takes all words that are left.
func (a *arguments) rest() []word {
	words := a.words
	a.words = nil
	return words
}

// who takes a client such as A, or a strand such as A/1.
func (a *arguments) who() (client string, strand int) {
	w := a.next(lang.New("a client"))
	action, err := history.ParseAction(w.text)
	if err != nil || action.Verb != history.Step || !slices.Contains(a.world.Clients, action.Client) {
		a.wrong(w, "%q is not a client of this world; use %s", w.text, lang.Names(a.world.Clients))
	}
	return action.Client, action.Strand
}

func (a *arguments) millis(w word, text string) history.Millis {
	m, err := history.ParseMillis(text)
	a.must(w, err)
	return m
}

// clockChange takes a change of a clock: a jump, or another rate.
func (a *arguments) clockChange() (history.Verb, history.Millis) {
	w := a.next(lang.New("a jump such as +10s, or rate=1.1,"))
	if rate, ok := strings.CutPrefix(w.text, "rate="); ok {
		times, err := strconv.ParseFloat(rate, 64)
		if err != nil || !(times >= 0.001 && times <= 1000) { // rejects NaN too
			a.wrong(w, "%q is not a rate between 0.001 and 1000", rate)
		}
		return history.Rate, history.Millis(times*1000 + 0.5)
	}
	by := a.millis(w, w.text)
	if by == 0 {
		a.wrong(w, "a jump by nothing is not a jump")
	}
	return history.Jump, by
}

// nodeNames are all nodes that a world may have. The run checks whether this one has
// them, for another lock may have more.
var nodeNames = func() []string {
	names := make([]string, history.MaxNodes)
	for i := range names {
		names[i] = history.NodeName(i)
	}
	return names
}()

// nodes takes a list of nodes.
func (a *arguments) nodes() []string { return a.names(lang.New("a node"), nodeNames) }

// names takes a list such as A,B whose parts must all be in a set.
func (a *arguments) names(what lang.Message, of []string) []string {
	w := a.next(what)
	list := strings.Split(w.text, ",")
	for i, name := range list {
		if !slices.Contains(of, name) {
			a.wrong(w, "%q is not %v; %s", name, what, lang.Fit(name, of))
		}
		if slices.Contains(list[:i], name) {
			a.wrong(w, "%s is said twice", name)
		}
	}
	return list
}

// isNodeList reports whether a list begins with the name of a node.
func isNodeList(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	return slices.Contains(nodeNames, first)
}
