package trial

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
)

// A Suite is the locks that the tests of a package try. Close it when done.
type Suite struct {
	*Package
	*Code
	Locks        []*Lock
	temp         string
	remove       func()       // removes that folder
	buildAdapted func() error // makes the binary of adapted code, once

	id     string    // see Identity; "" if it is unknown
	begun  time.Time // Identify
	before string    // changes then
}

// A Lock of a suite runs in a process of its own.
type Lock struct {
	ID string // by which stories and tokens know it
	Listed
	host *remote.Pool
}

// Open compiles a package's tests and asks for the locks of those whose names
// match; nil matches all. tell is told what goes on.
func Open(ctx context.Context, p *Package, match *regexp.Regexp, tell func(lang.Message)) (s *Suite, err error) {
	all, err := testsIn(p.Dir, p.files)
	switch {
	case err != nil:
		return nil, &CompileError{Says: err.Error()}
	case len(all) == 0:
		return nil, lang.Errorf("no test in %s calls locktest.Check", p.Dir)
	}
	tests := all
	if match != nil {
		tests = slices.DeleteFunc(slices.Clone(all), func(test string) bool { return !match.MatchString(test) })
	}
	if len(tests) == 0 {
		return nil, lang.Errorf("no test in %s that calls locktest.Check matches %q; use %s", p.Dir, match, lang.Names(all))
	}
	code, err := p.Code(ctx)
	if err != nil {
		return nil, err
	}
	temp, remove, err := files.Folder("")
	if err != nil {
		return nil, err
	}
	s = &Suite{Package: p, Code: code, temp: temp, remove: remove}
	s.buildAdapted = sync.OnceValue(func() error { return s.BuildAdapted(ctx, s.adapted(), s.temp) })
	if err := s.Build(ctx, s.binary()); err != nil {
		s.Close()
		return nil, err
	}
	tell(lang.New("%s: asking its tests for their locks", s.Path))
	if err := s.list(ctx, tests); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// binary is the file with the compiled tests.
func (s *Suite) binary() string { return filepath.Join(s.temp, "check.test") }

// adapted is the file with the tests, of adapted code.
func (s *Suite) adapted() string { return filepath.Join(s.temp, "adapted.test") }

// Close ends the processes of the locks, and removes what was compiled.
func (s *Suite) Close() {
	for _, l := range s.Locks {
		l.host.Close()
	}
	s.remove()
}

// Bounds of what tests say of their locks.
const (
	maxList   = 1 << 20 // bytes
	maxListed = 1000    // locks
)

// list asks the tests for their locks.
func (s *Suite) list(ctx context.Context, tests []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it was only read
	cmd := exec.Command(s.binary(), "-test.run=^("+strings.Join(tests, "|")+")$", "-test.count=1")
	cmd.Dir, cmd.Env = s.Dir, append(environ(s.Dir), EnvTest+"="+EnvAll)
	var says remote.Ends
	cmd.Stdout = &says
	cmd.ExtraFiles = make([]*os.File, remote.Answers-2)
	cmd.ExtraFiles[remote.Answers-3] = w
	child, err := remote.StartChild(cmd, r, &remote.Reads{})
	_ = w.Close() // it is the child's
	if err != nil {
		return err
	}
	late := time.AfterFunc(remote.StartTime, child.Kill)
	defer context.AfterFunc(ctx, child.Kill)()
	listed, err := read(r)
	if err != nil {
		child.Kill()
	}
	ended := child.Wait()
	switch said := says.String() + child.Stderr.String(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case !late.Stop():
		return lang.Errorf("the tests did not say within %v which locks they have: what does the package do by itself, in init or TestMain?%s", remote.StartTime, lastLines(said))
	case ended != nil && (len(listed) == 0 || !ranAll.MatchString(said)):
		return lang.Errorf("the tests ended before they said which locks they have: %w%s", ended, lastLines(said))
	case !ranAll.MatchString(said):
		return lang.Errorf("the tests ended before they said which locks they have, with exit code 0: does init or TestMain call os.Exit, or not call m.Run?")
	case len(listed) == 0:
		return lang.Errorf("no test that ran in %s said that it calls locktest.Check; if one does: does something close files that it did not open?", s.Dir)
	}
	for _, l := range listed {
		s.add(l)
	}
	return nil
}

// ranAll matches what a test binary prints once all of its tests have run.
var ranAll = regexp.MustCompile(`(?m)^(PASS|FAIL)$`)

// read reads the tests' answers.
func read(r io.Reader) (all []Listed, err error) {
	for in := json.NewDecoder(io.LimitReader(r, maxList)); ; {
		var l Listed
		err := in.Decode(&l)
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err == nil:
			err = l.fits()
		}
		if err == nil && len(all) == maxListed {
			err = lang.Errorf("there are more than %d locks", maxListed)
		}
		if err != nil {
			return nil, lang.Errorf("what the tests say of their locks cannot be read: %w", history.Briefly{Err: err})
		}
		all = append(all, l)
	}
}

// lastLines returns the end of a program's output, on lines of its own.
func lastLines(text string) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-most):]
	for i, line := range lines {
		lines[i] = history.Brief(line)
	}
	return strings.TrimSuffix("\n"+strings.Join(lines, "\n"), "\n")
}

func (s *Suite) add(listed Listed) {
	run := func(binary string) *exec.Cmd { return Command(s.Dir, binary, listed.Test, listed.Nth) }
	s.Locks = append(s.Locks, &Lock{ID: LockID(listed.Test, listed.Nth), Listed: listed, host: remote.NewPool(func() (*exec.Cmd, error) {
		return run(s.binary()), nil
	}, func() (*exec.Cmd, error) {
		return run(s.adapted()), s.buildAdapted()
	})})
}

// Find returns the lock with that id; nil if there is none, as of a nil suite.
func (s *Suite) Find(id string) *Lock {
	if s == nil {
		return nil
	}
	for _, l := range s.Locks {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// Host is the process in which it runs.
func (l *Lock) Host() *remote.Pool { return l.host }

// Subject is the lock as a world takes it.
func (l *Lock) Subject() program.Subject {
	return l.Plan.Subject(l.host.Start)
}
