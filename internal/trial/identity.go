package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/cache"
	"lockstep/internal/files"
)

// This file tells the code of tests from other code without linking it.

// A listed package is what go list says of one that the tests are made of.
type listedPackage struct {
	ImportPath, Name, Dir, BuildID, DefaultGODEBUG string
	Standard                                       bool
	Module                                         *struct {
		Main      bool
		Path      string
		GoVersion string
	}
	Imports, GoFiles []string
	EmbedFiles       []string
	// Files that are no Go, or that Go code is made from.
	CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string
}

// listedFields are its fields, for go list.
const listedFields = "ImportPath,Name,Dir,BuildID,DefaultGODEBUG,Standard,Module,Imports,GoFiles," +
	"CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,EmbedFiles"

// own reports whether the package is of the module under test.
func (l *listedPackage) own() bool { return l.Module != nil && l.Module.Main }

// opaque reports whether there is more code in the package than its Go files.
func (l *listedPackage) opaque() bool {
	return len(l.CgoFiles)+len(l.CFiles)+len(l.CXXFiles)+len(l.MFiles)+len(l.HFiles)+len(l.FFiles)+len(l.SFiles)+
		len(l.SwigFiles)+len(l.SwigCXXFiles)+len(l.SysoFiles) > 0
}

// empty reports whether there is no code in the package, but perhaps in its tests, which are
// listed as another.
func (l *listedPackage) empty() bool { return len(l.GoFiles) == 0 && !l.opaque() }

// surroundings is what decides how the tests are linked and what they find when they
// run: flags, the environment, the files beside the code; false if that is too much.
func (p *Package) surroundings(ctx context.Context, c *Code) ([]string, bool) {
	flags, err := p.gotool(ctx, "env", "GOFLAGS", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, false
	}
	all := []string{string(flags)}
	for _, l := range c.listed {
		all = append(all, l.DefaultGODEBUG)
	}
	var env []string
	for _, set := range os.Environ() {
		if name, _, _ := strings.Cut(set, "="); !slices.ContainsFunc(ofTerminals, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			env = append(env, set)
		}
	}
	slices.Sort(env)
	all = append(all, env...)
	beside, ok := besides(append(slices.Clone(c.own), p.Dir), filepath.Join(p.Dir, "testdata"))
	return append(all, beside...), ok
}

// ofTerminals are how the names of variables begin that differ from one terminal to the
// next, and that no lock goes by.
var ofTerminals = []string{"_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "COLUMNS", "LINES", "WINDOWID", "SSH_", "TMUX", "NO_COLOR", cache.Env}

// The bounds of the files beside the code.
const (
	maxBeside      = 2000
	maxBesideBytes = 64 << 20
)

// besides are the names and hashes of the files in folders that are no Go code, and of
// all below testdata but for the counterexamples that go test keeps.
func besides(dirs []string, testdata string) (all []string, ok bool) {
	slices.Sort(dirs)
	left := int64(maxBesideBytes)
	add := func(name string) bool {
		text, err := files.Read(name, left)
		left -= int64(len(text))
		sum := sha256.Sum256(text)
		all = append(all, name, hex.EncodeToString(sum[:]))
		return err == nil && len(all) <= 2*maxBeside
	}
	for _, dir := range slices.Compact(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, false
		}
		for _, e := range entries {
			if e.Type().IsRegular() && filepath.Ext(e.Name()) != ".go" && !add(filepath.Join(dir, e.Name())) {
				return nil, false
			}
		}
	}
	if _, err := os.Stat(testdata); err != nil {
		return all, os.IsNotExist(err)
	}
	err := filepath.WalkDir(testdata, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == filepath.Join(testdata, "lockstep"):
			return fs.SkipDir
		case d.Type().IsRegular() && !add(name):
			return fs.ErrInvalid
		}
		return nil
	})
	return all, err == nil
}

// identify fills in what the code is; it stays unknown if a package cannot be compiled.
func (p *Package) identify(ctx context.Context, c *Code) {
	around, ok := p.surroundings(ctx, c)
	if !ok {
		return
	}
	builds := []string{"tests"}
	for _, l := range c.listed {
		if l.BuildID == "" && l.ImportPath != "unsafe" && !l.empty() {
			return
		}
		builds = append(builds, l.ImportPath, l.BuildID)
	}
	c.around = around
	c.whole = cache.KeyOf(append(builds, around...)...).String()
}
