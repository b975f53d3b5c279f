package trial

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// This file saves counterexamples, as fuzzing saves failing inputs: a file for
// each hazard and invariant, with a replay token and the invariant. A trial
// replays them first.

// maxKept bounds what is read of a file, in bytes. Every token fits.
const maxKept = 2 << 20

// Keep saves a counterexample in a folder and returns the file.
func Keep(dir, hazard string, f *Found) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, hazard+"."+f.Invariant+".txt")
	return name, files.Write(name, []byte(f.Token+"\n"+f.Invariant+"\n"), 0o644)
}

// played replays the saved counterexamples of a hazard and reports those that
// still violate; nil if none does.
func (t *Trial) played(ctx context.Context, h explore.Hazard) (*Report, error) {
	if t.Kept == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(t.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var r *Report
	for _, file := range entries {
		if !strings.HasPrefix(file.Name(), h.ID+".") || !strings.HasSuffix(file.Name(), ".txt") {
			continue
		}
		name := filepath.Join(t.Kept, file.Name())
		found, assumptions, err := t.replayKept(ctx, h, name)
		if err != nil {
			return nil, lang.Errorf("%s: %w; delete it if it is of no use any more", name, err)
		}
		if found == nil {
			continue
		}
		if r == nil {
			r = &Report{Hazard: h.ID, Verdict: explore.Violated, Reason: t.in(lang.New("played from %s; the rest was not explored", name)), Assumptions: assumptions}
		}
		if r.Found = append(r.Found, *found); found.Faults == 0 {
			t.knows(found.Invariant, h.ID, h.Bounds.Budget)
		}
	}
	return r, nil
}

// replayKept replays a saved counterexample; nil if it is impossible by now, or
// does not violate the invariant any more in a way that the contract does not allow.
func (t *Trial) replayKept(ctx context.Context, h explore.Hazard, name string) (*Found, string, error) {
	text, err := files.Read(name, maxKept)
	if err != nil {
		return nil, "", err
	}
	words := strings.Fields(string(text))
	if len(words) != 2 || !slices.Contains(history.Invariants(), words[1]) {
		return nil, "", lang.Errorf("it is to have a replay token in its first line and an invariant in its second")
	}
	config, schedule, err := history.ParseToken(words[0])
	if err != nil {
		return nil, "", err
	}
	config.Strategy = t.lock.ID // the test may have been renamed
	run, err := scenarios.Replay(ctx, config, schedule)
	if err != nil {
		return nil, "", nil // the lock has changed
	}
	for _, v := range run.Violations {
		if v.Invariant == words[1] && t.Plan.allowed(v, h.ID) == "" {
			bounded := explore.Report{Bounds: h.Bounds}
			found := &Found{
				Invariant: v.Invariant, Faults: bounded.Faults(&explore.Found{Schedule: schedule}), Steps: len(schedule),
				Token: history.Token(config, schedule), Kept: name,
			}
			t.describe(ctx, found, run, v)
			return found, t.in(world(config)), nil
		}
	}
	return nil, "", nil
}
