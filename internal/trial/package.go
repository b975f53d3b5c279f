package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/internal/lang"
)

// A Package is a Go package whose tests try locks.
type Package struct {
	Path  string   // its import path
	Dir   string   // with its files
	files []string // with tests
	name  string   // its name for go test -c
	in    string   // the working directory for that
}

// Find looks up a package: a folder, or an import path known in the working
// directory.
func Find(ctx context.Context, name string) (*Package, error) {
	p := &Package{name: name}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		p.name, p.in = ".", name
	} else if strings.HasPrefix(name, ".") || filepath.IsAbs(name) {
		return nil, lang.Errorf("there is no folder %s", name)
	}
	out, err := p.gotool(ctx, "list", "-e", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Error", "--", p.name)
	if err != nil {
		return nil, err
	}
	var listed struct {
		ImportPath, Dir           string
		TestGoFiles, XTestGoFiles []string
		Error                     *struct{ Err string }
	}
	in := json.NewDecoder(bytes.NewReader(out))
	if err := in.Decode(&listed); err != nil {
		return nil, lang.Errorf("go list %s: %w", name, err)
	}
	if in.More() {
		return nil, lang.Errorf("%s is more than one package; use the folder of one", name)
	}
	switch p.Path, p.Dir, p.files = listed.ImportPath, listed.Dir, slices.Concat(listed.TestGoFiles, listed.XTestGoFiles); {
	case len(p.files) > 0:
		return p, nil
	case listed.Error != nil:
		return nil, lang.Errorf("%s: %s", name, listed.Error.Err)
	}
	return nil, lang.Errorf("%s has no tests", p.Dir)
}

// A CompileError is the go tool's output on code that it cannot compile.
type CompileError struct{ Says string }

func (e *CompileError) Error() string { return e.Says }

// Build compiles the package's tests into a file.
func (p *Package) Build(ctx context.Context, file string) error {
	_, err := p.gotool(ctx, "test", "-c", "-vet=off", "-o", file, "--", p.name)
	return err
}

// gotool runs the go tool in the package's folder. A failed compilation is a
// *CompileError.
func (p *Package) gotool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = p.in
	cmd.WaitDelay = time.Second
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &says
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, lang.Errorf("Go is not on the PATH, and is needed to compile the tests: %w", err)
	case errors.As(err, &ended):
		return nil, &CompileError{strings.TrimSpace(says.String())}
	}
	return out.Bytes(), err
}
