package locktest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// This file keeps what was found, as fuzz targets keep what they fail on: in
// testdata of the package under test, one file for each hazard and invariant,
// with a replay token and the invariant in it. What is kept is played first.

// maxKept bounds what is read of a file, in bytes.
const maxKept = 64 << 10

// keptDir is where what a test found is kept.
func keptDir(test string) string {
	return filepath.Join("testdata", "lockstep", strings.ReplaceAll(test, "/", "-"))
}

// keep writes what was found, and returns where.
func keep(test, hazard string, f *Found) (string, error) {
	dir := keptDir(test)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(dir, hazard+"."+f.Invariant+".txt")
	return name, os.WriteFile(name, []byte(f.Token+"\n"+f.Invariant+"\n"), 0o644)
}

// kept plays what is kept for a hazard, and reports what is violated still; nil
// if nothing is.
func (o *options) kept(ctx context.Context, test, id, hazard string) (*Report, error) {
	names, err := filepath.Glob(filepath.Join(keptDir(test), hazard+".*.txt"))
	if err != nil {
		return nil, err
	}
	var r *Report
	for _, name := range names {
		found, assumptions, err := replayKept(ctx, name, id)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; delete it if it is of no use any more", name, err)
		}
		if found == nil || o.allowed(found.Invariant, hazard) != nil {
			continue
		}
		if r == nil {
			r = &Report{Hazard: hazard, Verdict: string(explore.Violated), Reason: "played from " + name + "; the rest was not explored", Assumptions: assumptions}
		}
		r.Found = append(r.Found, *found)
	}
	return r, nil
}

// replayKept plays what a file keeps; nil if the lock as it is now gives no occasion
// for it, or does not violate the invariant any more.
func replayKept(ctx context.Context, name, id string) (*Found, string, error) {
	text, err := readKept(name)
	if err != nil {
		return nil, "", err
	}
	words := strings.Fields(text)
	if len(words) != 2 || !slices.Contains(history.Invariants, words[1]) {
		return nil, "", errors.New("it is to have a replay token in its first line and an invariant in its second")
	}
	config, schedule, err := history.ParseToken(words[0])
	if err != nil {
		return nil, "", err
	}
	config.Strategy = id // the test may have been renamed
	run, err := scenarios.Replay(ctx, config, schedule)
	if err != nil {
		return nil, "", nil // another lock by now: it does something else
	}
	for _, v := range run.Violations {
		if v.Invariant == words[1] {
			return &Found{
				Invariant: v.Invariant, Says: scenarios.Verdict(v), Steps: len(schedule), Token: history.Token(config, schedule),
				Transcript: transcript(run.History), Why: why(ctx, run.History, v),
			}, config.String(), nil
		}
	}
	return nil, "", nil
}

func readKept(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > maxKept:
		return "", fmt.Errorf("%w: it is no file of at most %d bytes", fs.ErrInvalid, maxKept)
	}
	text, err := os.ReadFile(name)
	return string(text), err
}
