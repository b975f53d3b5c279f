package scenarios

import (
	"slices"
	"strings"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
)

// Caption is what the story says about a step or, where it says nothing, the
// command in words.
func (s *Step) Caption(b *prose.Book, lang string) string {
	if text := s.Captions[lang]; text != "" {
		return text
	}
	if text := s.Captions["en"]; text != "" {
		return text
	}
	return s.words(b)
}

// words says a command as a sentence; "" for the set-up.
func (s *Step) words(b *prose.Book) string {
	who := history.StrandName(s.client, s.strand)
	switch s.name {
	case "world":
		return ""
	case "run":
		if s.length > 0 {
			return b.Fill("say_run_for", prose.TextFacts{Said: who, What: s.length.String()})
		}
		return b.Fill("say_run_"+string(s.until.kind), prose.TextFacts{Said: who, What: s.until.what})
	case "advance":
		if s.target != "" {
			return b.Text("say_advance_" + s.target)
		}
		return b.Fill("say_advance", prose.TextFacts{What: s.length.String()})
	case "replay":
		return b.Fill("say_replay", prose.TextFacts{What: s.world.Strategy})
	case "keys", "check":
		return b.Text("say_" + s.name)
	}
	if len(s.all) == 0 {
		if text := b.Fill("say_"+string(s.verb), prose.TextFacts{Said: who}); text != "" {
			return text
		}
		return move(b, who, s.verb, s.clock())
	}
	return s.happening(b)
}

// happening says what befalls some nodes: all of them at once.
func (s *Step) happening(b *prose.Book) string {
	var whom, which []string
	add := func(list []string, name string) []string {
		if slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	for _, a := range s.all {
		if a.Client != "" { // a link: between whom and which node
			whom, which = add(whom, a.Client), add(which, a.Node)
		} else {
			whom = add(whom, a.Node)
		}
	}
	what := strings.Join(which, ", ")
	if len(which) == 0 {
		what = s.clock()
	}
	return move(b, strings.Join(whom, ", "), s.all[0].Verb, what)
}

// move says what befalls somebody as the list of a learner's moves does.
func move(b *prose.Book, who string, v history.Verb, what string) string {
	return b.Fill("say_move", prose.TextFacts{Said: who, What: b.Fill("move_"+string(v), prose.TextFacts{What: what})})
}

// clock is what becomes of a clock, as a command writes it.
func (s *Step) clock() string {
	if words := strings.Fields(s.Text); s.name == "clock" {
		return strings.TrimPrefix(words[len(words)-1], "rate=")
	}
	return ""
}
