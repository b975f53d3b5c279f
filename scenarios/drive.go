package scenarios

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// maxRun bounds the actions of a run command. A client that needs more, such as
// one that polls without a pause, is cut short, and the output says so.
const maxRun = 10_000

// run lets one client go on until a moment or for a length of time. Time passes
// when the client waits for it. No other client moves.
func (r *runner) run(c *command) error {
	if !r.w.Alive(c.client) {
		return lang.Errorf("run %s: %w: client %s is dead", c.client, world.ErrNotEnabled, c.client)
	}
	goal := awaited{moment: c.until, held: r.monitor.Holds(c.client) || r.releasing(c.client)}
	seen, end := len(r.w.History().Events), r.w.Now()+c.length
	thread := r.thread(c.strand)
	for range maxRun {
		for _, e := range r.w.History().Events[seen:] {
			if seen++; e.Client == c.client {
				goal.see(e)
			}
		}
		strands := r.w.Strands(c.client)
		if thread >= len(strands) {
			return lang.Errorf("run %s: %w: it has no thread %d", c.client, world.ErrNotEnabled, thread)
		}
		over := r.ended(strands, thread) || !r.w.Alive(c.client)
		switch {
		case c.length == 0 && goal.isNow(strands):
			return nil
		case c.length == 0 && (over || goal.isPast(strands[0])):
			if c.until.kind != done {
				r.add(lang.New("%s did not come", c.until))
				r.missed = true
			}
			return nil
		}
		action, ok := r.choose(strands, c, end)
		if !ok {
			if c.length == 0 {
				r.add(lang.New("%s waits for nothing that will come", c.client))
			}
			return nil
		}
		if err := r.perform(action); err != nil {
			return err
		}
	}
	r.add(lang.New("stopped after %d actions: %s did not come", maxRun, c.until))
	return nil
}

// choose picks a client's next action: a background strand before its first
// sleep, then its main strand, then its others, then waiting for the earliest of
// them. A run for a length of time waits no longer than that.
func (r *runner) choose(strands []world.StrandView, c *command, end history.Millis) (history.Action, bool) {
	ours := func(t world.StrandView) bool {
		return c.strand == 0 || t.ID == r.thread(c.strand) || r.isTimer(t.ID)
	}
	for _, fresh := range []bool{true, false} {
		for _, t := range strands {
			if t.Enabled && ours(t) && (t.Fresh || !fresh) {
				return history.Action{Verb: history.Step, Client: c.client, Strand: t.ID}, true
			}
		}
	}
	now := r.w.Now()
	next, waits := end, c.length > 0
	for _, t := range strands {
		if t.Waits && ours(t) && t.Until > now && (!waits || t.Until < next) {
			next, waits = t.Until, true
		}
	}
	return history.Action{Verb: history.Advance, By: next - now}, waits && next > now
}

// releasing reports whether the client is inside its release.
func (r *runner) releasing(client string) bool {
	inside := false
	for _, e := range r.w.History().Events {
		if e.Client == client && e.Op == history.OpRelease {
			inside = e.Kind == history.Invoke
		}
	}
	return inside
}
