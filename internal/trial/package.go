package trial

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/files"
	"lockstep/internal/gotool"
	"lockstep/internal/lang"
	"lockstep/sim/program"
)

// A Package is a Go package whose tests try locks.
type Package struct {
	Path  string   // its import path
	Dir   string   // with its files
	files []string // with tests
	name  string   // its name for go test -c
	in    string   // the working directory for that
	workspace
}

// named is a package by a folder, in which it is, or by an import path.
func named(name string) *Package {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return &Package{name: ".", in: name}
	}
	return &Package{name: name}
}

// Find looks up a package: a folder, or an import path known in the working
// directory.
func Find(ctx context.Context, name string) (*Package, error) {
	p := named(name)
	if p.in == "" && (strings.HasPrefix(name, ".") || filepath.IsAbs(name)) {
		return nil, lang.Errorf("there is no folder %s", name)
	}
	listed, err := p.one(ctx, "-e")
	if err != nil {
		return nil, err
	}
	switch {
	case len(listed.tests()) > 0:
		p.Path, p.Dir, p.files = listed.ImportPath, listed.Dir, listed.tests()
		return p, nil
	case listed.Error != nil:
		return nil, lang.Errorf("%s: %s", name, listed.Error.Err)
	default:
		return nil, lang.Errorf("%s has no tests", listed.Dir)
	}
}

// FindAll looks up the packages that a pattern of the go tool matches and of which tests
// whose names match try locks. FOLDER/... is about the module of that folder.
func FindAll(ctx context.Context, pattern string, match *regexp.Regexp) (found []*Package, err error) {
	dir, below := strings.CutSuffix(pattern, "/...")
	p := named(dir)
	switch {
	case p.in == "":
		p.name = pattern
	case below:
		p.name = "./..."
	}
	all, err := p.list(ctx, "-e")
	if err != nil {
		return nil, err
	}
	for _, listed := range all {
		tests, err := testsIn(listed.Dir, listed.tests())
		if err == nil && !slices.ContainsFunc(tests, match.MatchString) {
			continue // with an error, Open reports it
		}
		found = append(found, &Package{Path: listed.ImportPath, Dir: listed.Dir, files: listed.tests(), name: ".", in: listed.Dir, workspace: p.workspace})
	}
	return found, nil
}

// A ListedPackage is what go list says of a package.
type ListedPackage struct {
	ImportPath, Name, Dir string
	Standard              bool
	Module                *struct {
		Main      bool
		Path, Dir string
		Replace   *struct{ Version string }
	}
	GoFiles, CgoFiles, CFiles, HFiles, SFiles, EmbedFiles []string
	TestGoFiles, XTestGoFiles, Imports                    []string
	Error                                                 *struct{ Err string }
}

// listedFields are its fields, for go list.
const listedFields = "ImportPath,Name,Dir,Standard,Module,GoFiles,CgoFiles,CFiles,HFiles,SFiles,EmbedFiles,TestGoFiles,XTestGoFiles,Imports,Error"

func (l *ListedPackage) tests() []string { return slices.Concat(l.TestGoFiles, l.XTestGoFiles) }

// own reports whether the package is of the module under test.
func (l *ListedPackage) own() bool { return l.Module != nil && l.Module.Main }

// local reports whether the package's module is on this machine only. Lockstep, which
// most replace by a clone, looks at nothing while it is initialized.
func (l *ListedPackage) local() bool {
	return l.own() || l.Module != nil && l.Module.Replace != nil && l.Module.Replace.Version == "" && l.Module.Path != "lockstep"
}

// list lists the packages that the name matches; flags are those of go list.
func (p *Package) list(ctx context.Context, flags ...string) (all []*ListedPackage, err error) {
	if !p.settled {
		if err := p.settle(ctx); err != nil {
			return nil, err
		}
	}
	out, err := p.gotool(ctx, slices.Concat([]string{"list", "-json=" + listedFields}, p.flags, flags, []string{"--", p.name})...)
	if mod, work := Modules(ctx, p.in); err != nil && mod+work == "" && errors.As(err, new(*CompileError)) {
		return nil, lang.Errorf("%s is not in a Go module, where a go.mod says which modules the lock uses: go mod init NAME writes one (%v)", cmp.Or(p.in, "."), err)
	}
	if err != nil {
		return nil, err
	}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		l := &ListedPackage{}
		if err := in.Decode(l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, lang.Errorf("go list %s: %w", p.name, err)
		}
		if p.env != nil && l.Module != nil && l.Module.Path == "lockstep" {
			l.Module.Main = false // it is not the user's
		}
		all = append(all, l)
	}
}

// one lists the package, and is an error if the name matches none, or several.
func (p *Package) one(ctx context.Context, flags ...string) (*ListedPackage, error) {
	all, err := p.list(ctx, flags...)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, lang.Errorf("%s is not a package", p.name)
	case len(all) > 1:
		return nil, lang.Errorf("%s is more than one package; use the folder of one", p.name)
	}
	return all[0], nil
}

// Lookup returns what go list says in a folder of a package.
func Lookup(ctx context.Context, dir, name string) (*ListedPackage, error) {
	p := named(name)
	p.in = cmp.Or(p.in, dir)
	return p.one(ctx)
}

// A CompileError is the go tool's output on code that it cannot compile.
type CompileError = gotool.Error

// Build compiles the package's tests into a file, with more flags of the go command. It
// leaves out what a debugger would read, which is a third of the work of linking, unless
// GOFLAGS says how to link.
func (p *Package) Build(ctx context.Context, file string, flags ...string) error {
	if out, err := p.gotool(ctx, "env", "GOFLAGS"); err == nil && !strings.Contains(string(out), "-ldflags") {
		flags = append(flags, "-ldflags=-w")
	}
	_, err := p.gotool(ctx, slices.Concat([]string{"test", "-c", "-vet=off", "-o", file}, p.flags, flags, []string{"--", p.name})...)
	return err
}

// gotool runs the go tool in the package's folder. A failed compilation is a
// *CompileError.
func (p *Package) gotool(ctx context.Context, args ...string) ([]byte, error) {
	out, err := gotool.Run(ctx, p.in, p.env, args...)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, lang.Errorf("Go is not on the PATH, and is needed to compile the tests: %w", err)
	}
	return out, err
}

// Code locates the source of a package's tests and of all they import.
type Code struct {
	dirs   map[string]string // the folder of each package, by its name in source lines
	listed []*ListedPackage
	// The folders of modules that are on this machine only, and of packages of these. The
	// first of both is that of the package under test. Beside modules are the files by
	// which the go command goes.
	modules, packages []string
}

// Code lists the packages that the tests import.
func (p *Package) Code(ctx context.Context) (*Code, error) {
	all, err := p.list(ctx, "-e", "-deps", "-test")
	c := &Code{dirs: map[string]string{}, listed: all, modules: []string{p.Dir}, packages: []string{p.Dir}}
	for _, l := range all {
		if l.Standard || l.Dir == "" {
			continue
		}
		pkg, _, _ := strings.Cut(l.ImportPath, " ") // a variant compiled for the test
		c.dirs[program.NameOf(pkg)] = l.Dir
		if l.local() {
			c.modules, c.packages = append(c.modules, l.Module.Dir), append(c.packages, l.Dir)
		}
	}
	if out, failed := p.gotool(ctx, "env", "GOWORK", "GOENV", "GOFLAGS"); failed == nil {
		of := strings.SplitN(string(out), "\n", 3)
		c.modules = append(append(c.modules, of[:2]...), p.of)
		for _, flag := range strings.Fields(of[2]) {
			c.modules = append(c.modules, p.namedBy(flag)...)
		}
	}
	return c, err
}

// namedBy returns the files that a flag of the go command names, as -modfile and -overlay do,
// and those that an overlay puts in the place of others.
func (p *Package) namedBy(flag string) []string {
	_, name, _ := strings.Cut(flag, "=")
	if name == "" {
		return nil
	}
	name = in(p.in, name)
	var overlay struct{ Replace map[string]string }
	text, _ := files.Read(name, maxSource)
	_ = json.Unmarshal(text, &overlay) // another file has no such thing
	return append(slices.Sorted(maps.Values(overlay.Replace)), name)
}

// maxSource bounds what is read of a file of code, in bytes.
const maxSource = 1 << 20

// Source returns the text of a file by its name in source lines: package and
// file.
func (c *Code) Source(file string) (string, error) {
	name, ok := c.File(file)
	if !ok {
		return "", lang.Errorf("%s: the tests are not made of its package", file)
	}
	text, err := files.Read(name, maxSource)
	return string(text), err
}

// File returns the path of a file by its name in events; false if its package is none
// that the tests are made of.
func (c *Code) File(file string) (name string, ok bool) {
	dir, ok := c.dirs[path.Dir(file)]
	return filepath.Join(dir, path.Base(file)), ok
}

// Saved is a snapshot of what the tests are made of and find around them.
type Saved struct {
	code   *Code
	at     time.Time
	before string // changes
	read   []cache.Read
}

// Saved takes a snapshot.
func (p *Package) Saved(ctx context.Context) (*Saved, error) {
	at := time.Now()
	code, err := p.Code(ctx)
	if err != nil {
		return nil, err
	}
	return &Saved{code: code, at: at, before: code.changes()}, nil
}

// Heed lets Wait wait for a change of what was read, too. It reports whether something has
// changed since the snapshot, so that Wait need not wait. With again, that does not count:
// it may be the tests that write.
func (s *Saved) Heed(read []cache.Read, again bool) bool {
	now := s.code.changes()
	changed := !again && (now != s.before || slices.ContainsFunc(read, func(r cache.Read) bool { return r.Since(s.at) }))
	s.before, s.read = now, read
	if changed {
		s.before = ""
	}
	return changed
}

// pollEvery is the interval of polling.
const pollEvery = 300 * time.Millisecond

// Wait returns true once something has changed since, and false when ctx is done before.
func (s *Saved) Wait(ctx context.Context) bool {
	for {
		began := time.Now()
		if s.code.changes() != s.before || slices.ContainsFunc(s.read, cache.Read.Over) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(max(pollEvery, 9*time.Since(began))): // so that it takes a tenth of the time
		}
	}
}
