package trial

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/cache"
	"lockstep/internal/files"
)

// This file finds the code that one test can reach, so that a change of other code in
// the module changes nothing for it. A declaration reaches those whose names stand in
// it, whatever a name means there; a type reaches all its methods, as whoever has a value
// of it may call them, by an interface too. Initial values and init functions run before
// every test. That is too much rather than too little. Code that calls what it does not
// name, and packages outside the module, belong to every test.

// A reach is the code of the module under test by names.
type reach struct {
	base     []string          // what belongs to every test
	decls    map[name][]*decl  // a type's methods by its name
	roots    []*decl           // that run before every test
	packages map[string]string // the names of the module's packages, by path
}

// A name is one at the top of a package.
type name struct{ pkg, name string }

// A decl is a declaration at the top of a file.
type decl struct {
	text  string // where it is and what it says
	names []name
}

// newReach reads the code of the module under test; nil if that tells nothing apart.
func newReach(c *Code) *reach {
	r := &reach{decls: map[name][]*decl{}, packages: map[string]string{}}
	for _, l := range c.listed {
		if l.own() {
			r.packages[pathOf(l)] = l.Name
		}
		if l.own() && l.ImportPath == tester {
			return nil // Lockstep's own tests reach all of Lockstep
		}
	}
	for _, l := range c.listed {
		if !l.own() {
			if slices.ContainsFunc(l.Imports, func(path string) bool { return r.packages[path] != "" }) {
				return nil
			}
			r.base = append(r.base, l.ImportPath, l.BuildID)
			continue
		}
		r.base = append(r.base, l.ImportPath, l.Module.GoVersion)
		if strings.HasSuffix(l.ImportPath, ".test") { // its main function, which is generated
			continue
		}
		if l.opaque() {
			return nil
		}
		if len(l.EmbedFiles) > 0 {
			r.base = append(r.base, l.BuildID)
		}
		for _, name := range l.GoFiles {
			if !r.file(l, name) {
				return nil
			}
		}
	}
	return r
}

// pathOf is a package's path, whichever test it is compiled for.
func pathOf(l *listedPackage) string {
	path, _, _ := strings.Cut(l.ImportPath, " ")
	return path
}

// file reads a file; false if it cannot be read, or calls what it does not name.
func (r *reach) file(l *listedPackage, file string) bool {
	text, err := files.Read(filepath.Join(l.Dir, file), maxSource)
	if err != nil {
		return false
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || bytes.Contains(text, []byte("go:linkname")) {
		return false
	}
	r.base = append(r.base, l.ImportPath, file, string(text[:set.Position(tree.Name.End()).Offset]))
	pkg := pathOf(l)
	imported := r.imported(tree)
	for _, d := range tree.Decls {
		from, to := set.Position(d.Pos()), set.Position(d.End())
		one := &decl{text: fmt.Sprintf("%s %s:%d\n%s", l.ImportPath, file, from.Line, text[from.Offset:to.Offset])}
		one.mention(d, pkg, imported)
		called, always := namesOf(d)
		for _, n := range called {
			r.decls[name{pkg, n}] = append(r.decls[name{pkg, n}], one)
		}
		if always {
			r.roots = append(r.roots, one)
		}
	}
	return true
}

// imported are the packages of the module that a file imports, by their names there.
func (r *reach) imported(file *ast.File) map[string][]string {
	as := map[string][]string{}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		called, ours := r.packages[path]
		if err != nil || !ours {
			continue
		}
		if i.Name != nil {
			called = i.Name.Name
		}
		as[called] = append(as[called], path)
	}
	return as
}

// mention notes the names in a part of a declaration. What is selected from a value is a
// field or a method, which is known by the type.
func (d *decl) mention(part ast.Node, pkg string, imported map[string][]string) {
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				for _, path := range imported[x.Name] {
					d.names = append(d.names, name{path, n.Sel.Name})
				}
			}
			d.mention(n.X, pkg, imported)
			return false
		case *ast.Ident:
			d.names = append(d.names, name{pkg, n.Name})
			for _, path := range imported["."] {
				d.names = append(d.names, name{path, n.Name})
			}
		}
		return true
	})
}

// namesOf are the names by which a declaration is reached, and whether it runs before
// every test.
func namesOf(d ast.Decl) (names []string, always bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return []string{receiver(d.Recv.List[0].Type)}, false
		}
		return []string{d.Name.Name}, d.Name.Name == "init" || d.Name.Name == "TestMain"
	case *ast.GenDecl:
		if d.Tok == token.VAR || d.Tok == token.IMPORT {
			return nil, true
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names, false
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	name := ""
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// of is the identity of all that a test reaches; "" if there is no such test.
func (r *reach) of(test string, around []string) string {
	test, _, _ = strings.Cut(test, "/")
	todo := slices.Clone(r.roots)
	known := false
	for n, list := range r.decls {
		if n.name == test { // in the package, or the one of its external tests
			known = true
			todo = append(todo, list...)
		}
	}
	if !known {
		return ""
	}
	met := map[*decl]bool{}
	var texts []string
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if met[d] {
			continue
		}
		met[d] = true
		texts = append(texts, d.text)
		for _, n := range d.names {
			todo = append(todo, r.decls[n]...)
		}
	}
	slices.Sort(texts)
	return cache.KeyOf(slices.Concat([]string{"reach", test}, r.base, texts, around)...).String()
}
