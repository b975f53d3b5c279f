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
	"slices"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/sim/remote"
)

// This file compiles tests with what the package guest has for the module under test:
// each run has package variables of its own, and time passes while code waits for a
// mutex.

// guestPath is the package that the code uses then, and guestName its name there.
const (
	guestPath = "lockstep/sim/bubble/guest"
	guestName = "lockstepguest"
)

// BuildAdapted is Build with the package guest. It needs a folder for the changed files.
func (p *Package) BuildAdapted(ctx context.Context, file, temp string) error {
	code, err := p.Code(ctx)
	if err != nil {
		return err
	}
	replaced := map[string]string{}
	for _, l := range code.listed {
		if !l.adaptable() {
			continue
		}
		for _, name := range l.GoFiles {
			from := filepath.Join(l.Dir, name)
			if replaced[from] != "" {
				continue // of another variant of the package
			}
			text, err := files.Read(from, maxSource)
			if err != nil {
				continue // too large to be written by hand: compiled as it is
			}
			if changed := adapted(text, l.Module.Path); changed != nil {
				to := filepath.Join(temp, fmt.Sprint(len(replaced), ".go"))
				if err := os.WriteFile(to, changed, 0o600); err != nil {
					return err
				}
				replaced[from] = to
			}
		}
	}
	if len(replaced) == 0 {
		return remote.ErrNotAdaptable
	}
	overlay := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return err
	}
	if err := p.Build(ctx, file, "-overlay", overlay); err != nil {
		return lang.Errorf("with package variables for each client the tests cannot be compiled: %w", err)
	}
	return nil
}

// adaptable reports whether a package is of the module under test. The go tool
// replaces no file of another module. Where Lockstep is that module, its own code stays
// as it is.
func (l *ListedPackage) adaptable() bool {
	return l.own() && !strings.HasSuffix(l.ImportPath, ".test") &&
		!strings.HasPrefix(l.ImportPath, "lockstep/locktest") && !strings.HasPrefix(l.ImportPath, "lockstep/sim")
}

// adapted returns a file of Go code that uses the package guest, with the same lines up
// to its end; nil if there is nothing to adapt, or it is not understood.
func adapted(text []byte, module string) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return nil
	}
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	sync, at := mutexes(file)
	var more []string
	if len(at) > 0 {
		more = append(more, fmt.Sprintf("var _ %s.Locker", sync)) // it may be used for nothing else
	}
	for _, name := range variables(file) {
		more = append(more, fmt.Sprintf("var _ = %s.Own(&%s, %q)", guestName, name, module))
	}
	if len(more) == 0 {
		return nil
	}
	var out bytes.Buffer
	end := offset(file.Name.End())
	out.Write(text[:end])
	fmt.Fprintf(&out, "; import %s %q", guestName, guestPath)
	for _, from := range at {
		out.Write(text[end:offset(from)])
		out.WriteString(guestName)
		end = offset(from) + len(sync)
	}
	out.Write(text[end:])
	fmt.Fprintf(&out, "\n%s\n", strings.Join(more, "\n"))
	return out.Bytes()
}

// mutexes returns the name of package sync in a file, and where it names a mutex of it.
func mutexes(file *ast.File) (sync string, at []token.Pos) {
	sync = imports(file)["sync"]
	ast.Inspect(file, func(n ast.Node) bool {
		if of, ok := n.(*ast.SelectorExpr); ok && (of.Sel.Name == "Mutex" || of.Sel.Name == "RWMutex") {
			if from, ok := of.X.(*ast.Ident); ok && from.Name == sync && from.Obj == nil {
				at = append(at, from.Pos())
			}
		}
		return true
	})
	return sync, at
}

// variables lists the package variables of a file, but for those that the go tool sets.
func variables(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		of, ok := d.(*ast.GenDecl)
		if !ok || of.Tok != token.VAR || directed(of.Doc) {
			continue
		}
		for _, s := range of.Specs {
			spec := s.(*ast.ValueSpec)
			for _, name := range spec.Names {
				if name.Name != "_" && !directed(spec.Doc) {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// directed reports whether there is a directive for the go tool.
func directed(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:") })
}
