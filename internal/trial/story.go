package trial

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A Played is the result of a story.
type Played struct {
	Run        *scenarios.Result
	Missed     []string // the commands that were impossible with the lock
	Vacuous    bool     // everything special about the story was impossible
	Found      []Found  // the gravest first; all of them of the one transcript
	Transcript []string
	Undecided  string // why an invariant could not be decided, if it could not
}

// Play plays a story with the lock, whichever lock the story is about.
func (t *Trial) Play(ctx context.Context, s *scenarios.Story) (*Played, error) {
	run, err := scenarios.RunAgainst(ctx, s, t.lock.ID)
	if err != nil {
		return nil, err
	}
	return t.judge(ctx, run, run.Violations)
}

// PlayOwn plays a story about scenarios.Mine and judges the checks without
// expected output. The caller compares the expected output.
func (t *Trial) PlayOwn(ctx context.Context, s *scenarios.Story) (*Played, error) {
	run, err := scenarios.RunOwn(ctx, s, t.lock.ID)
	if err != nil {
		return nil, err
	}
	return t.judge(ctx, run, run.Unexpected())
}

func (t *Trial) judge(ctx context.Context, run *scenarios.Result, violations []history.Violation) (*Played, error) {
	if err := t.Sockets(); err != nil {
		return nil, err
	}
	p := &Played{Run: run, Transcript: t.transcript(run.History), Undecided: t.in(run.Undecided)}
	p.Missed, p.Vacuous = run.Missed()
	token := history.Token(run.History.Config, run.History.Schedule)
	for _, id := range history.Invariants() {
		i := history.FirstOf(violations, id)
		if i < 0 {
			continue
		}
		v := violations[i]
		f := Found{Invariant: id, Says: scenarios.VerdictIn(t.Book, v), Token: token, Allowed: string(t.Plan.allowedIn(run.History, v))}
		if f.Allowed == "" {
			f.Why = t.why(ctx, run.History, v)
		}
		p.Found = append(p.Found, f)
	}
	return p, nil
}

// Wrong lists the violations that the contract does not allow.
func (p *Played) Wrong() []Found {
	return slices.DeleteFunc(slices.Clone(p.Found), func(f Found) bool { return f.Allowed != "" })
}

// Text is the run and its violations, as a test prints them.
func (p *Played) Text(l lang.Language) string {
	lines := append(slices.Clone(p.Transcript), "")
	for _, f := range p.Wrong() {
		lines = slices.Concat(lines, []string{f.Says}, f.Why, []string{""})
	}
	token := history.Token(p.Run.History.Config, p.Run.History.Schedule)
	return strings.Join(append(lines, lang.New("Replay token: %s", token).In(l)), "\n") + "\n"
}

// allowedIn returns why the contract allows a violation of a run, under a hazard
// that has happened by then; "" if it does not.
func (p *Plan) allowedIn(h history.History, v history.Violation) lang.Word {
	for _, hazard := range explore.Hazards() {
		if why := p.allowed(v, hazard.ID); why != "" && hazard.Occurred(h, v.Seq) {
			return why
		}
	}
	return ""
}
