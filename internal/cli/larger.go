package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
)

// grows reports whether an exploration goes on with larger worlds. It does not where
// the command line says how large the world is, or how far to search it.
func grows(cmd *cobra.Command) bool {
	return !slices.ContainsFunc([]string{"clients", "rounds", "faults", "ticks", "states", "depth", "exact", "first"}, cmd.Flags().Changed)
}

// An enlargement is the bound of a larger world that the usual one does not have. The
// others are 0.
type enlargement struct {
	Clients int `json:"clients,omitempty"`
	Rounds  int `json:"rounds,omitempty"`
	Faults  int `json:"faults,omitempty"`
}

func enlarged(usual, larger explore.Question) enlargement {
	more := func(n, usual int) int {
		if n > usual {
			return n
		}
		return 0
	}
	return enlargement{
		more(len(larger.Config.Clients), len(usual.Config.Clients)), more(larger.Config.Rounds, usual.Config.Rounds),
		more(larger.Hazard.Bounds.Budget, usual.Hazard.Bounds.Budget),
	}
}

func (e enlargement) words() lang.Message {
	switch {
	case e.Clients > 0:
		return lang.New("%d clients", e.Clients)
	case e.Rounds > 0:
		return lang.New("%d rounds", e.Rounds)
	}
	return lang.New("%d faults", e.Faults)
}

// grow explores the larger worlds of a question whose answer is HOLDS. After an
// interrupt it keeps those so far.
func (t *transcript) grow(ctx context.Context, row *explore.Row, shelf explore.Shelf, q explore.Question, o explore.Options, e *exploration) error {
	if verdict, _ := e.Verdict(); verdict != explore.Holds {
		return nil
	}
	for _, larger := range q.Larger(e.States) {
		if ctx.Err() != nil {
			return nil
		}
		with := enlarged(q, larger)
		o.Progress = t.exploreProgress(lang.New("%s, %v", q.Hazard.ID, with.words()))
		l, err := t.timed(ctx, row, shelf, larger, o)
		if err != nil {
			return err
		}
		l.with = with
		e.larger = append(e.larger, l)
	}
	return nil
}

// deciding returns the report that the exit code, a story and the walkthrough go by: of
// the larger worlds the one with the gravest violation, if there is any.
func (e *exploration) deciding() explore.Report {
	var larger []explore.Report
	for _, l := range e.larger {
		larger = append(larger, l.Report)
	}
	if _, of, err := worstFound("", larger); err == nil {
		return *of
	}
	return e.Report
}

// beyond prints the verdicts of the larger worlds in one line.
func (t *transcript) beyond(e *exploration) {
	var parts []any
	for _, l := range e.larger {
		switch verdict, reason := l.Verdict(); {
		case verdict == explore.Holds, verdict == explore.Violated:
			parts = append(parts, lang.New("%v with %v", verdict, l.with.words()))
		case l.Trouble.None() && l.Limit == explore.OutOfStates:
			parts = append(parts, lang.New("not decided within %d states with %v", l.Bounds.States, l.with.words()))
		default:
			parts = append(parts, lang.New("not decided with %v: %v", l.with.words(), reason))
		}
	}
	if len(parts) > 0 {
		t.say("Larger worlds: %v", lang.Join("; ", parts...))
	}
}

// violatedBeyond prints what is violated in larger worlds.
func (t *transcript) violatedBeyond(e *exploration, f exploreFlags) {
	for _, l := range e.larger {
		if l.first == nil {
			continue
		}
		t.say("")
		t.say("Larger world: %s with %v", e.Hazard, l.with.words())
		t.say("Verdict: %v", explore.Violated)
		t.since(l)
		t.findings(l, f)
	}
}
