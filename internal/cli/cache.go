package cli

import (
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"lockstep/internal/cache"
)

func (a *app) cacheCommand() *cobra.Command {
	return group("cache", withoutArguments("info", a.cacheInfo), withoutArguments("clean", a.cacheClean))
}

func (a *app) cacheInfo(*cobra.Command) error {
	store, err := cache.Usual()
	if err != nil {
		return err
	}
	if store == nil {
		a.say("The cache is off.")
		return nil
	}
	entries, size, err := store.Size()
	if err != nil {
		return err
	}
	a.say("Folder: %s", store.Dir())
	a.say("Entries: %d, at most %d", entries, cache.MaxEntries)
	a.say("Size: %s, at most %s", humanize.IBytes(uint64(size)), humanize.IBytes(cache.MaxBytes))
	return nil
}

func (a *app) cacheClean(*cobra.Command) error {
	store, err := cache.Usual()
	if err != nil {
		return err
	}
	removed, err := store.Clean()
	a.say("Removed: %d", removed)
	return err
}

// openCache opens the cache for a search; nil if it is off. fresh is --fresh, and brief is for callers that
// show only the first counterexample of a report.
func (a *app) openCache(fresh, brief bool) (*cache.Verdicts, error) {
	store, err := cache.Usual()
	if err != nil || store == nil {
		return nil, err
	}
	store.Fresh = fresh
	return &cache.Verdicts{Store: store, Code: a.codeOf, Read: a.readBy, First: brief}, nil
}

// codeOf is the code that the verdicts on a lock depend on.
func (a *app) codeOf(lock string) (string, bool) {
	program, ok := cache.Builtin()
	if a.suite.Find(lock) == nil {
		return program, ok
	}
	tests, known := a.suite.Identity()
	return program + " " + tests, ok && known
}

// readBy is what the code of a lock has looked at.
func (a *app) readBy(lock string) (cache.Read, bool) {
	if a.suite.Find(lock) == nil {
		return cache.ReadNow(nil), true
	}
	return a.suite.Read(a.suite.Find(lock))
}

// onDay is a time, as it is printed.
func onDay(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// sinceRow is when a report was computed, in JSON; "" if just now.
func sinceRow(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
