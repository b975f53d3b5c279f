// Package adapter writes the test of a lock: a template, with what the package exports. It
// guesses nothing that can be wrong, and reads the package's syntax only.
package adapter

import (
	"context"
	_ "embed"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
)

// File is the name of the test's file.
const File = "lockstep_test.go"

// The templates of a lock with two methods, and of one whose acquisition returns a handle.
var (
	//go:embed lock.txt
	lockText string
	//go:embed handle.txt
	handleText string
)

// The files of an example: a lock with a mistake, its test, and a module for them.
var (
	//go:embed example_lock.txt
	ExampleLock string
	//go:embed example_test.txt
	ExampleTest string
	//go:embed example_mod.txt
	ExampleModule string
)

// refusedBy begins the list of a package's errors.
const refusedBy = `, locktest.RefusedBy(
// FILL IN: which of these say "somebody else has it"? They stay. Those that say "it is not
// yours any more" belong in locktest.LostBy(...). Take the rest away.
`

// Text is the text of a test that hands the lock of a package, a folder or an import
// path, to locktest.Check, once somebody has filled in what it marks. dir is the folder for
// which it is, whose module knows the path.
func Text(ctx context.Context, dir, name string) (string, error) {
	listed, err := trial.Lookup(ctx, dir, name)
	if err != nil {
		return "", err
	}
	a := &adapter{pkg: listed.Name, methods: map[string][]string{}}
	if slices.Contains([]string{"context", "testing", "locktest", "t", "c"}, a.pkg) { // which the template has
		a.pkg = "own"
	}
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", &trial.CompileError{Says: err.Error()}
		}
		a.read(file)
	}
	if a.exports == "" {
		return "", lang.Errorf("%s exports no function and no method without type parameters; write the test by hand", listed.ImportPath)
	}
	text, held := lockText, ""
	for _, of := range a.results {
		if has := a.methods[strings.TrimPrefix(of, "*")]; slices.ContainsFunc(has, isRelease) && !slices.ContainsFunc(has, isAcquire) {
			text, held = handleText, a.qualified(of)
			break
		}
	}
	imported := strconv.Quote(listed.ImportPath)
	if path.Base(listed.ImportPath) != a.pkg {
		imported = a.pkg + " " + imported
	}
	if a.errors != "" {
		a.errors = refusedBy + a.errors + ")"
	}
	text = strings.NewReplacer("TEST_", testPackage(dir, listed.Dir, listed.Name)+"_", "IMPORT", imported, "EXPORTS", strings.TrimSpace(a.exports+a.generic), "HELD", held, "ERRORS", a.errors).Replace(text)
	pretty, err := format.Source([]byte(text))
	return string(pretty), err
}

// testPackage is the name of the package in a folder, without _test.
func testPackage(dir, own, name string) string {
	one, err := filepath.EvalSymlinks(dir)
	if whole, failed := filepath.Abs(one); err == nil && failed == nil && whole == own {
		return name
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly); err == nil {
			return strings.TrimSuffix(f.Name.Name, "_test")
		}
	}
	return "locks"
}

// An adapter is what a package exports.
type adapter struct {
	pkg             string
	exports, errors string              // lines of the template
	generic         string              // comments of it
	methods         map[string][]string // by type
	results         []string            // the types that functions return first
}

func isAcquire(name string) bool {
	name = strings.TrimPrefix(name, "Try")
	return strings.HasPrefix(name, "Lock") || strings.HasPrefix(name, "Acquire") || strings.HasPrefix(name, "Obtain")
}

func isRelease(name string) bool {
	return strings.HasPrefix(name, "Unlock") || strings.HasPrefix(name, "Release") || name == "Free"
}

// read collects what a file declares.
func (a *adapter) read(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil:
				a.add("", d.Name, d.Type)
			case len(d.Recv.List) > 0: // the parser accepts an empty list
				a.add(types.ExprString(d.Recv.List[0].Type), d.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if t, ok := s.Type.(*ast.InterfaceType); ok && s.TypeParams == nil {
						for _, m := range t.Methods.List {
							if f, ok := m.Type.(*ast.FuncType); ok {
								a.add(s.Name.Name, m.Names[0], f)
							}
						}
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if strings.HasPrefix(name.Name, "Err") {
							a.errors += a.pkg + "." + name.Name + ",\n"
						}
					}
				}
			}
		}
	}
}

// add notes a function, or a method of a type, which may be a pointer.
func (a *adapter) add(of string, name *ast.Ident, f *ast.FuncType) {
	at, plain := a.pkg+"."+name.Name, strings.TrimPrefix(of, "*")
	if !name.IsExported() || strings.Contains(of, "[") || of != "" && !ast.IsExported(plain) {
		return
	}
	if of != "" {
		at = "(" + a.qualified(of) + ")." + name.Name
		a.methods[plain] = append(a.methods[plain], name.Name)
	}
	does := at + " // " + strings.Join(strings.Fields(types.ExprString(f)), " ") + "\n"
	if f.TypeParams != nil {
		a.generic += "// " + does
		return
	}
	if f.Results.NumFields() > 0 {
		a.results = append(a.results, types.ExprString(f.Results.List[0].Type))
	}
	a.exports += "_ = " + does
}

// qualified is a type of the package, or a pointer to one, with the package's name.
func (a *adapter) qualified(of string) string {
	plain := strings.TrimPrefix(of, "*")
	return strings.TrimSuffix(of, plain) + a.pkg + "." + plain
}
