package explain_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// kindOf says which event a sentence of a kind needs among those that it is about.
// One that is not listed is of the kind of the longest beginning of its name that is.
var kindOf = map[string]func(history.Event) bool{
	"entered":              resource(history.Enter),
	"removed":              changes(freed),
	"replaced":             changes(newValue),
	"moved":                changes(newDeadline),
	"refused-moved":        changes(newDeadline),
	"refused-replaced":     changes(newValue),
	"believe":              history.Event.Acquires,
	"orphan":               anything,
	"asleep":               anything,
	"own-lock":             changes(func(c history.Change) bool { return c.After != nil || c.Before.Type == "list" }), // its last element
	"wrote-":               resource(history.WriteOp),
	"left-behind-late":     func(e history.Event) bool { return e.Kind == history.Expire },
	"left-behind-given-up": func(e history.Event) bool { return e.Op == history.OpAcquire && e.Kind != history.Invoke },
	"left-behind":          func(e history.Event) bool { return e.Op == history.OpRelease && e.Kind != history.Invoke },

	"lease-ended": func(e history.Event) bool { return e.Kind == history.Expire },
	"time":        func(e history.Event) bool { return e.Kind == history.Clock && e.By > 0 },
	"renews":      anything, // after the run; see checkRenewal
	"fault-":      func(e history.Event) bool { return e.Kind == history.Fault },

	"order-took": changes(func(c history.Change) bool {
		return c.Before == nil || freed(history.Change{After: c.Before, Before: c.After})
	}),
	"order-freed":    changes(freed),
	"order-removed":  changes(freed),
	"order-moved":    changes(newDeadline),
	"order-replaced": changes(newValue),
	"order-asked":    func(e history.Event) bool { return len(e.Cmds) > 0 && len(e.Changes) == 0 },
	"order-enter":    resource(history.Enter),
	"order-read":     resource(history.ReadOp),
	"order-write":    resource(history.WriteOp),
	"order-refuse":   resource(history.Refuse),
	"order-leave":    resource(history.Leave),
	"order-abandon":  resource(history.Abandon),
	"order-gave-up":  func(e history.Event) bool { return e.Kind == history.TimeOut },
	"order-other":    anything,
	"order-began":    anything,
	"order-returned": anything,

	"code-unseen":               func(e history.Event) bool { return e.Kind == history.Apply && !asks(e) },
	"code-looked":               func(e history.Event) bool { return e.Kind == history.Apply && asks(e) },
	"code-mistook":              func(e history.Event) bool { return e.Kind == history.Apply && asks(e) },
	"code-wrote-first":          func(e history.Event) bool { return e.Kind == history.Apply && len(e.Changes) > 0 },
	"code-nested":               anything,
	"code-orphaned":             changes(func(c history.Change) bool { return c.After != nil }),
	"code-acquire-sent-nothing": history.Event.Acquires,
	"code-release-sent-nothing": func(e history.Event) bool { return e.Op == history.OpRelease },
	"code-alone":                anything,
	"code-unshown":              anything,

	"cost-together":  resource(history.Enter),
	"cost-taken":     history.Event.Acquires,
	"cost-beside":    anything,
	"cost-unguarded": anything,
	"cost-lasts":     changes(newDeadline),
	"cost-replaced":  changes(newValue),
	"cost-undone":    resource(history.WriteOp),
	"cost-outdated":  resource(history.ReadOp),
	"cost-stock":     resource(history.WriteOp),
	"cost-short":     resource(history.WriteOp),
	"cost-task":      resource(history.WriteOp),
	"cost-cache":     resource(history.WriteOp),
	"cost-kept":      changes(func(c history.Change) bool { return c.After != nil }),
	"cost-orphan":    changes(func(c history.Change) bool { return c.After != nil }),
	"cost-session":   changes(func(c history.Change) bool { return c.After != nil && c.After.Type == history.Ephemeral }),
	"cost-asleep":    anything,
	// The last element has left the list.
	"cost-taken-along": changes(func(c history.Change) bool { return c.Before != nil && c.Before.Type == "list" && c.After == nil }),
}

func anything(history.Event) bool { return true }

// freed reports whether nobody has the lock after a change: its key is gone, or is a list with an
// element that whoever pops it takes.
func freed(c history.Change) bool {
	return c.After == nil || c.Before == nil && c.After.Type == "list"
}

func asks(e history.Event) bool {
	return slices.ContainsFunc(e.Cmds, func(c []string) bool { return c[0] == "GET" })
}

func resource(op string) func(history.Event) bool {
	return func(e history.Event) bool { return e.Kind == history.Resource && e.Op == op }
}

func changes(as func(history.Change) bool) func(history.Event) bool {
	return func(e history.Event) bool { return slices.ContainsFunc(e.Changes, as) }
}

func newValue(c history.Change) bool {
	return c.Before != nil && c.After != nil && c.Before.Value != c.After.Value
}

func newDeadline(c history.Change) bool {
	return c.Before != nil && c.After != nil && c.Before.Deadline != c.After.Deadline
}

// checkWords holds every sentence of an account to its run: each fact in it is one
// of the events that it is about, and there is an event of its kind among them.
func checkWords(t *testing.T, run string, h history.History, v history.Violation, a explain.Account) {
	t.Helper()
	id := run + " " + v.Invariant + " " + v.Client
	if len(a.Why) != len(a.Causes) || len(a.Saved) != len(a.Remedies) {
		t.Fatalf("%s: %d causes and %d sentences, %d remedies and %d", id, len(a.Causes), len(a.Why), len(a.Remedies), len(a.Saved))
	}
	own := slices.Concat([]explain.Sentence{a.Happened, a.Cost}, a.Code)
	for i, s := range a.Why {
		c := a.Causes[i]
		if c.Kind == explain.Renewal {
			checkRenewal(t, id, s, c)
			continue
		}
		if c.Kind == explain.Fault != strings.HasPrefix(s.ID, "fault-") || c.Kind == explain.Lease != strings.HasPrefix(s.ID, "lease-") {
			t.Errorf("%s: %s says %+v", id, s.ID, c)
		}
		if h.Events[s.Seq].Pick != c.Action {
			t.Errorf("%s: %s tells of action %d, not %d", id, s.ID, h.Events[s.Seq].Pick, c.Action)
		}
		own = append(own, s)
	}
	if a.Happened.ID == "" {
		t.Errorf("%s: nobody says what happened", id)
	}
	for _, s := range own {
		if s.ID != "" {
			checkSentence(t, id, h, v, s)
		}
	}
	for i, s := range a.Saved {
		shown := s.Shown.String()
		if shown != "" && !slices.ContainsFunc(history.Lines(a.Remedies[i].Played.Events, h.Nodes), func(l history.Line) bool {
			return strings.HasSuffix(shown, l.Text.String())
		}) {
			t.Errorf("%s: %q was not played", id, shown)
		}
	}
	checkText(t, id, a)
}

// checkText wants every sentence in every language.
func checkText(t *testing.T, id string, a explain.Account) {
	t.Helper()
	for _, lang := range prose.Languages() {
		b := prose.Load(lang)
		said := slices.Concat([]explain.Sentence{a.Happened, a.Cost}, a.Why, a.Code, a.Saved)
		for _, o := range a.IfOnly {
			said = append(said, o.Asks, o.Came)
		}
		for _, s := range said {
			text := s.Text(b)
			if s.ID != "" && (text == s.ID || strings.Contains(text, "{{") || strings.Contains(text, "<no value>") ||
				strings.Contains(text, "  ") || strings.Contains(text, " .")) {
				t.Errorf("%s: %s %s: %q", id, lang, s.ID, text)
			}
		}
	}
}

func checkRenewal(t *testing.T, id string, s explain.Sentence, c explain.Cause) {
	t.Helper()
	f := s.Facts
	if !changes(newDeadline)(c.Renews) || f.Line != strings.TrimPrefix(c.Renews.Source, "strategies/") ||
		f.Client != history.StrandName(c.Renews.Client, c.Renews.Strand) {
		t.Errorf("%s: %+v does not renew by %+v", id, f, c.Renews)
	}
}

func checkSentence(t *testing.T, id string, h history.History, v history.Violation, s explain.Sentence) {
	t.Helper()
	if s.ID == "never" || s.ID == "cost-never" {
		return // they are about no event
	}
	needs, best := kindOf[s.ID], ""
	for name := range kindOf {
		if kindOf[s.ID] == nil && strings.HasPrefix(s.ID, name) && len(name) > len(best) {
			needs, best = kindOf[name], name
		}
	}
	if needs == nil {
		t.Fatalf("%s: no kind of event is known for %s", id, s.ID)
	}
	var about []history.Event
	for _, seq := range s.About {
		about = append(about, h.Events[seq])
	}
	if !slices.ContainsFunc(about, needs) {
		t.Errorf("%s: no event of its kind is behind %s: %+v", id, s.ID, s.Facts)
	}
	if verb, ok := strings.CutPrefix(s.ID, "fault-"); ok && about[0].Op != strings.TrimSuffix(verb, "-client") {
		t.Errorf("%s: %s tells of %s", id, s.ID, about[0].Op)
	}
	checkDenial(t, id, h, s, about)
	if s.Facts.M > 1 && (s.ID == "order-took" || strings.HasSuffix(s.ID, "-minority")) && s.Facts.N != owned(h, s.Facts.Client, about[0]) {
		t.Errorf("%s: %s says %d nodes", id, s.ID, s.Facts.N)
	}
	known := factsOf(h, v, about)
	fields := reflect.ValueOf(s.Facts)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if f := fields.Field(i); f.Kind() == reflect.String && f.String() != "" && !known[f.String()] && name != "Shown" {
			t.Errorf("%s: %s in %s, %q, is no fact of %+v", id, name, s.ID, f.String(), about)
		}
	}
}

// TestWordsFollowClaims: a sentence says for what it holds, in both languages, and no
// other says so.
func TestWordsFollowClaims(t *testing.T) {
	says := map[string]map[string]string{
		"en": {"played": "In this run,", "explored": "no schedule within the bounds of the explorer"},
		"zh": {"played": "在这次运行里", "explored": "所有调度"},
	}
	limits := map[string][]string{"en": {"other schedules violate", "that lease ends too early"}, "zh": {"别的调度", "这样的租约也结束得太早"}}
	seen := map[string]bool{}
	stories := scenarios.Stories()
	for _, s := range testkit.Some(t, stories, 30, 10) {
		r := played(t, s, nil)
		for _, v := range r.Violations {
			a := testkit.Must(scenarios.Explain(t.Context(), r.History, v))(t)
			for lang, of := range says {
				b := prose.Load(lang)
				for i, saved := range a.Saved {
					text := saved.Text(b)
					claim := claimOf(a.Remedies[i])
					seen[claim] = true
					limited := slices.ContainsFunc(limits[lang], func(l string) bool { return strings.Contains(text, l) })
					if limited != (claim == "limited") || strings.Contains(text, of["explored"]) != (claim == "explored") ||
						claim == "played" && !strings.Contains(text, of["played"]) {
						t.Errorf("%s: what is %s says %q", s.Name, claim, text)
					}
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("seen are only the claims %v", seen)
	}
}

// claimOf says for what a remedy is known to hold.
func claimOf(r explain.Remedy) string {
	switch {
	case r.Falls > 0, r.Explored != nil && !r.Explored.Holds:
		return "limited"
	case r.Explored != nil:
		return "explored"
	}
	return "played"
}

// TestOnlyWhatTheRunHas: a run in which no key has a TTL is told without leases, and one
// on a single node without nodes.
func TestOnlyWhatTheRunHas(t *testing.T) {
	b := prose.Load("en")
	counterexamples(t, func(t *testing.T, h history.History, v history.Violation) {
		lease := slices.ContainsFunc(h.Events, func(e history.Event) bool {
			return slices.ContainsFunc(e.Changes, func(c history.Change) bool { return c.After != nil && c.After.Deadline > 0 })
		})
		a := testkit.Must(scenarios.Explain(t.Context(), h, v))(t)
		for _, s := range append(append([]explain.Sentence{a.Happened, a.Cost}, a.Why...), a.Code...) {
			text := s.Text(b)
			for word, has := range map[string]bool{"lease": lease, "expire": lease, "majority": h.Nodes > 1, "nodes": h.Nodes > 1 || s.ID == "fault-flush" || strings.HasPrefix(s.ID, "fault-")} {
				if !has && regexp.MustCompile(`\b`+word).MatchString(text) {
					t.Errorf("%s speaks of %q: %s", h.Config.Strategy, word, text)
				}
			}
		}
	})
}
