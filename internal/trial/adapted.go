package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
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
	changes, copies := map[string]string{}, map[string]string{} // of modules, by their paths
	work := ""
	for _, l := range code.listed {
		if !l.adaptable() {
			continue
		}
		dir := l.Dir
		if m := l.Module; !l.local() && m.Dir != "" { // of the module cache, in which the go tool replaces no file
			to := copies[m.Path]
			if to == "" {
				to = filepath.Join(temp, fmt.Sprint("module", len(copies)))
				if err := os.CopyFS(to, os.DirFS(m.Dir)); err != nil {
					return err
				}
				copies[m.Path] = to
				work += fmt.Sprintf("replace %s => %q\n", m.Path, to)
			}
			dir = to + strings.TrimPrefix(dir, m.Dir)
		}
		for _, name := range l.GoFiles {
			from := filepath.Join(dir, name)
			if changes[from] != "" {
				continue // of another variant of the package
			}
			text, err := files.Read(filepath.Join(l.Dir, name), maxSource)
			if err != nil {
				continue // too large to be written by hand: compiled as it is
			}
			if changed := adapted(text, l.Module.Path); changed != nil {
				to := filepath.Join(temp, fmt.Sprint(len(changes), ".go"))
				if err := os.WriteFile(to, changed, 0o600); err != nil {
					return err
				}
				changes[from] = to
			}
		}
	}
	if len(changes) == 0 {
		return remote.ErrNotAdaptable
	}
	overlay := filepath.Join(temp, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": changes})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return err
	}
	own := *p
	if work != "" {
		text, err := p.work(ctx)
		if err != nil {
			return err
		}
		name := filepath.Join(temp, "go.work")
		if err := os.WriteFile(name, []byte(text+work), 0o600); err != nil {
			return err
		}
		own.env, own.flags = []string{"GOWORK=" + name}, []string{"-mod=readonly"}
	}
	if err := own.Build(ctx, file, "-overlay", overlay); err != nil {
		return lang.Errorf("with package variables for each client the tests cannot be compiled: %w", err)
	}
	return nil
}

// work is a go.work like what the go command uses for the package.
func (p *Package) work(ctx context.Context) (string, error) {
	if len(p.env) > 0 {
		text, err := os.ReadFile(strings.TrimPrefix(p.env[0], "GOWORK="))
		return string(text), err
	}
	mod, work := Modules(ctx, p.in)
	return p.goWork(ctx, mod, work)
}

// adaptable reports whether a package is of the module under test, or uses go-redis. Where Lockstep is
// that module, its own code stays as it is.
func (l *ListedPackage) adaptable() bool {
	if l.own() {
		return !strings.HasSuffix(l.ImportPath, ".test") && !strings.HasPrefix(l.ImportPath, "lockstep/locktest") && !strings.HasPrefix(l.ImportPath, "lockstep/sim")
	}
	return slices.Contains(l.Imports, goRedis) && l.Module.Path != "lockstep" && l.Module.Path != goRedis
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
	var more []string
	at := map[int]int{} // of the names of packages, by their offsets: their lengths
	for _, r := range replaced {
		name := imports(file)[r.path]
		if places := mentions(file, name, r.names); places != nil {
			more = append(more, fmt.Sprintf("var _ %s.%s", name, r.other)) // it may be used for nothing else
			for _, p := range places {
				at[offset(p)] = len(name)
			}
		}
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
	for _, from := range slices.Sorted(maps.Keys(at)) {
		out.Write(text[end:from])
		out.WriteString(guestName)
		end = from + at[from]
	}
	out.Write(text[end:])
	fmt.Fprintf(&out, "\n%s\n", strings.Join(more, "\n"))
	return out.Bytes()
}

// replaced are the names of packages in whose place those of the package guest are, and another one
// of each package.
var replaced = []struct {
	path, other string
	names       []string
}{
	{"sync", "Locker", []string{"Mutex", "RWMutex", "OnceFunc", "OnceValue", "OnceValues"}},
	{goRedis, "Cmder", []string{"NewClient", "NewFailoverClient", "NewUniversalClient"}},
}

const goRedis = "github.com/redis/go-redis/v9"

// mentions returns where a file names something of a package, by the name that it has there.
func mentions(file *ast.File, pkg string, names []string) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		if of, ok := n.(*ast.SelectorExpr); ok && slices.Contains(names, of.Sel.Name) {
			if from, ok := of.X.(*ast.Ident); ok && from.Name == pkg && from.Obj == nil {
				at = append(at, from.Pos())
			}
		}
		return true
	})
	return at
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
