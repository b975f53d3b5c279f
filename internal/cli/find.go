package cli

import (
	"cmp"
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
	"lockstep/strategies"
)

// knowLock returns an error unless a lock is in the catalogue or in the package
// of --with.
func (a *app) knowLock(id string) error {
	if slices.Contains(a.guests, id) {
		return nil
	}
	_, err := findLock(id, a.guests...)
	return err
}

// findLock returns a lock of the catalogue, or an error that suggests similar
// names, including guests.
func findLock(id string, guests ...string) (strategies.Info, error) {
	info, ok := strategies.Find(id)
	if ok {
		return info, nil
	}
	return info, unknown(lang.Errorf("%q is not a lock", id), id, append(strategies.IDs(), guests...), "lockstep list locks")
}

func hazardIDs() (ids []string) {
	for _, h := range explore.Hazards() {
		ids = append(ids, h.ID)
	}
	return ids
}

// findHazards returns the named hazards, each once, or all if none is named.
func findHazards(names []string) ([]explore.Hazard, error) {
	if len(names) == 0 {
		return explore.Hazards(), nil
	}
	var hazards []explore.Hazard
	for i, name := range names {
		h, ok := explore.FindHazard(name)
		if !ok {
			return nil, unknown(lang.Errorf("%q is not a hazard", name), name, hazardIDs(), "lockstep explore --help")
		}
		if !slices.Contains(names[:i], name) {
			hazards = append(hazards, h)
		}
	}
	return hazards, nil
}

// findStory returns a built-in story by name, or one from a .txt file.
func findStory(ctx context.Context, name string) (*scenarios.Story, error) {
	if strings.HasSuffix(name, storyEnding) {
		return await(ctx, func() (*scenarios.Story, error) { return readStory(name) })
	}
	story, err := scenarios.Find(name)
	if err == nil {
		return story, nil
	}
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return nil, refused(lang.Errorf("%q is a folder, not a story; use lockstep test %s", name, lang.Typed(name)), "lockstep run --help")
		}
		return nil, refused(lang.Errorf("%q is not a story file; its name would end in %s", name, storyEnding), "lockstep run --help")
	}
	return nil, unknown(lang.Errorf("%q is not a story", name), name, storyNames(nil), "lockstep list stories")
}

// taught returns the built-in stories in the order of the locks, and by name for
// each lock.
func taught() []*scenarios.Story {
	locks := strategies.Catalogue()
	place := func(s *scenarios.Story) int {
		return slices.IndexFunc(locks, func(l strategies.Info) bool { return l.ID == s.Strategy() })
	}
	return slices.SortedStableFunc(slices.Values(scenarios.Stories()), func(a, b *scenarios.Story) int {
		return cmp.Or(place(a)-place(b), strings.Compare(a.Name, b.Name))
	})
}

// unknown adds what a word is, or else similar known names, to an error.
func unknown(err error, read string, known []string, see string) error {
	return refused(fitting(err, read, known), see)
}

func fitting(err error, read string, known []string) error {
	if is := elsewhere(read); !is.None() {
		return lang.Errorf("%w; %v", err, is)
	}
	if len(lang.Nearest(read, known)) > 0 {
		err = lang.Errorf("%w; %s", err, lang.Fit(read, known))
	}
	return err
}

// elsewhere says how a story or a lock is used; none if the word is the name of neither.
func elsewhere(word string) lang.Message {
	if _, err := scenarios.Find(word); err == nil {
		return lang.New("it is a story: lockstep run %s", lang.Typed(word))
	}
	if _, ok := strategies.Find(word); ok {
		return lang.New("it is a lock: lockstep show %s", word)
	}
	return lang.Message{}
}

// storyNames adds the names of the built-in stories to others.
func storyNames(names []string) []string {
	for _, s := range scenarios.Stories() {
		names = append(names, s.Name)
	}
	return names
}

const (
	storyEnding = ".txt"
	maxRead     = 1 << 20 // more than Parse accepts, so that Parse reports it
)

func readStory(path string) (*scenarios.Story, error) {
	text, err := files.Read(path, maxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refused(lang.Errorf("there is no story file %s", path), "lockstep list stories")
	case errors.Is(err, files.ErrIrregular):
		return nil, refused(lang.Errorf("%s is not a regular file", path), "lockstep run --help")
	case err != nil:
		return nil, err
	}
	return scenarios.Parse(path, strings.TrimSuffix(filepath.Base(path), storyEnding), string(text))
}
