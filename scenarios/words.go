package scenarios

import (
	"cmp"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// Caption is what the story says about a step or, where it says nothing, the
// command in words.
func (s *Step) Caption(b *prose.Book, language string) string {
	if text := s.Captions[language]; text != "" {
		return text
	}
	if text := s.Captions["en"]; text != "" {
		return text
	}
	return s.words(b)
}

// words says a command as a sentence; "" for the set-up.
func (s *Step) words(b *prose.Book) string {
	switch s.name {
	case "world":
		return ""
	case "run":
		who := history.StrandName(s.client, s.strand)
		if s.length > 0 {
			return b.Fill("say_run_for", prose.TextFacts{Said: who, What: s.length.String()})
		}
		return b.Fill("say_run_"+string(s.until.kind), prose.TextFacts{Said: who, What: cmp.Or(b.Text("moment_"+s.until.what), s.until.what)})
	case "replay":
		return b.Fill("say_replay", prose.TextFacts{What: s.against})
	case "keys", "check":
		return b.Text("say_" + s.name)
	}
	if s.expiry() {
		return b.Text("say_advance_expiry")
	}
	return s.happening(b)
}

// happening says what befalls somebody, or all of several at once; where it has
// no sentence of its own, as the list of a learner's moves does.
func (s *Step) happening(b *prose.Book) string {
	facts := prose.TextFacts{What: strings.TrimPrefix(s.how(), "rate=")}
	for i, list := range s.concerned() {
		if i == 0 {
			facts.Said = lang.Names(list).In(b.Language())
		} else { // a link: between whom and which node
			facts.What = lang.Names(list).In(b.Language())
		}
	}
	verb := string(s.acts[0].Verb)
	if text := b.Fill("say_"+verb, facts); text != "" {
		return text
	}
	return b.Fill("say_move", prose.TextFacts{Said: facts.Said, What: b.Fill("move_"+verb, prose.TextFacts{What: facts.What})})
}
