package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/sim/remote"
)

// This file compiles tests so that the mutexes of sync in the module under test are
// those of locktest/durable.

// DurableMutexes is the package that has them.
const DurableMutexes = "lockstep/locktest/durable"

// BuildDurable is Build with durable mutexes. It needs a folder of its own for the
// changed files.
func (p *Package) BuildDurable(ctx context.Context, file, temp string) error {
	code, err := p.Code(ctx, false)
	if err != nil {
		return err
	}
	replaced := map[string]string{}
	for _, l := range code.listed {
		if !l.ownMutexes() {
			continue
		}
		for _, name := range l.GoFiles {
			from := filepath.Join(l.Dir, name)
			text, err := files.Read(from, maxSource)
			if err != nil {
				continue // it is none of a lock: compiled as it is
			}
			if changed := withDurable(text); changed != nil {
				to := filepath.Join(temp, fmt.Sprint(len(replaced), ".go"))
				if err := os.WriteFile(to, changed, 0o600); err != nil {
					return err
				}
				replaced[from] = to
			}
		}
	}
	if len(replaced) == 0 {
		return remote.ErrOthersMutex
	}
	overlay := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return err
	}
	if _, err := p.gotool(ctx, "test", "-c", "-vet=off", "-overlay", overlay, "-o", file, "--", p.name); err != nil {
		return lang.Errorf("with the mutexes of %s the tests cannot be compiled: %w", DurableMutexes, err)
	}
	return nil
}

// ownMutexes reports whether a package is of the module under test. The go tool
// replaces no file of another module. Where Lockstep is that module, its own code keeps
// its mutexes.
func (l *listedPackage) ownMutexes() bool {
	return l.own() && !strings.HasSuffix(l.ImportPath, ".test") &&
		!strings.HasPrefix(l.ImportPath, "lockstep/locktest") && !strings.HasPrefix(l.ImportPath, "lockstep/sim")
}

// withDurable returns a file of Go code with sync.Mutex and sync.RWMutex replaced, on
// the same lines; nil if it has none, or is not understood.
func withDurable(text []byte) []byte {
	const name = "lockstepdurable"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, 0)
	if err != nil {
		return nil
	}
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	sync := ""
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "sync" {
			if sync = "sync"; spec.Name != nil {
				sync = spec.Name.Name
			}
		}
	}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		of, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := of.X.(*ast.Ident)
		if ok && from.Name == sync && from.Obj == nil && (of.Sel.Name == "Mutex" || of.Sel.Name == "RWMutex") {
			at = append(at, offset(from.Pos()))
		}
		return true
	})
	if len(at) == 0 {
		return nil
	}
	var out bytes.Buffer
	end := offset(file.Name.End())
	out.Write(text[:end])
	fmt.Fprintf(&out, "; import %s %q", name, DurableMutexes)
	for _, from := range at {
		out.Write(text[end:from])
		out.WriteString(name)
		end = from + len(sync)
	}
	out.Write(text[end:])
	fmt.Fprintf(&out, "\nvar _ %s.Locker\n", sync) // it may be used for nothing else
	return out.Bytes()
}
