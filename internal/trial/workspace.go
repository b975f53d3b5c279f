package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"path/filepath"
	"strings"

	"lockstep/internal/cache"
	"lockstep/internal/carried"
	"lockstep/internal/gotool"
)

// ownGo is the version of Go in Lockstep's go.mod.
const ownGo = "1.26.0"

// A workspace is what the go command is told so that it finds Lockstep for a module that
// does not require it: a go.work of the user's module and Lockstep's source. So the
// user's files stay as they are, and the module keeps the version of Go that it names.
type workspace struct {
	settled    bool
	env, flags []string // of list and test: other values of -mod are refused there
	of         string   // the user's own go.work; "" for none
}

// Modules returns the go.mod and the go.work of a folder; "" for none.
func Modules(ctx context.Context, dir string) (mod, work string) {
	out, _ := gotool.Run(ctx, dir, nil, "env", "GOMOD", "GOWORK") // who needs them says what is wrong
	mod, work, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	if filepath.Base(mod) != "go.mod" {
		mod = ""
	}
	if work == "off" {
		work = ""
	}
	return mod, work
}

// Require lets a go.mod require Lockstep, from a folder that has its source.
func Require(ctx context.Context, mod, from string) error {
	own, err := filepath.Abs(from)
	if err == nil {
		own, err = filepath.Rel(filepath.Dir(mod), own)
	}
	if err == nil {
		_, err = gotool.Run(ctx, "", nil, "mod", "edit", "-require=lockstep@v0.0.0", "-replace=lockstep=./"+filepath.ToSlash(own), mod)
	}
	return err
}

// settle makes the workspace, unless the module requires Lockstep or there is none.
func (p *Package) settle(ctx context.Context) error {
	p.settled = true
	if carried.Tree == nil {
		return nil
	}
	if _, err := p.gotool(ctx, "list", "-m", "lockstep"); err == nil {
		return nil
	}
	mod, work := Modules(ctx, p.in)
	if mod == "" {
		return nil // go list says what is wrong
	}
	from, err := carried.Kept()
	if err != nil {
		return err
	}
	text, err := p.goWork(ctx, mod, work)
	if err != nil {
		return err
	}
	text += fmt.Sprintf("use %q\n", from)
	file := filepath.Join(from, "work", string(cache.KeyOf(text)[:16]), "go.work")
	p.workspace = workspace{true, []string{"GOWORK=" + file}, []string{"-mod=readonly"}, work}
	return carried.Write(file, []byte(text))
}

// goWork is the text of a go.work like what the go command uses: that of a go.mod, or of a
// go.work, unless it is "".
func (p *Package) goWork(ctx context.Context, mod, work string) (string, error) {
	kind, file := "mod", mod
	if work != "" {
		kind, file = "work", work
	}
	out, err := p.gotool(ctx, kind, "edit", "-json", file)
	if err != nil {
		return "", err
	}
	var has struct {
		Go      string
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &has); err != nil {
		return "", err
	}
	dir := filepath.Dir(file)
	if work == "" {
		has.Replace = nil // it stays in force
		has.Use = append(has.Use, struct{ DiskPath string }{dir})
	}
	if version.Compare("go"+has.Go, "go"+ownGo) < 0 {
		has.Go = ownGo
	}
	text := fmt.Sprintf("go %s\n\n", has.Go)
	for _, use := range has.Use {
		text += fmt.Sprintf("use %q\n", in(dir, use.DiskPath))
	}
	for _, r := range has.Replace {
		to := r.New.Path
		if r.New.Version == "" {
			to = in(dir, to)
		}
		text += fmt.Sprintf("replace %q %s => %q %s\n", r.Old.Path, r.Old.Version, to, r.New.Version)
	}
	return text, nil
}

// in is a path that may be relative to a folder.
func in(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
