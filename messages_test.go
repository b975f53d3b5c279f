package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/strategies"
)

// This file finds what is said to a person: every format that the code hands to
// the package lang, and by what detour.

// Packages whose errors are no messages. What a lock's code says stands in
// transcripts as Go prints it; what is wrong with a language's own files cannot be
// said in that language; and nobody but a developer meets the rest.
var unsaid = []string{"strategies", "internal/prose", "docs", "internal/cli/noquery", "sim/bubble", "locktest", "examples", "internal/testkit", "internal/release", "tools"}

// source is the code of this module without its tests.
type source struct {
	fset  *token.FileSet
	files []file
}

type file struct {
	*ast.File
	pkg     string   // the folder
	imports []string // the names of packages
}

func readSource(t *testing.T) source {
	t.Helper()
	s := source{fset: token.NewFileSet()}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (slices.Contains(unsaid, filepath.ToSlash(path)) || e.Name() == "testdata"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(s.fset, path, nil, 0)
		if err != nil {
			return err
		}
		f := file{parsed, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/"), nil}
		for _, i := range parsed.Imports {
			f.imports = append(f.imports, strings.Trim(i.Path.Value[strings.LastIndex(i.Path.Value, "/")+1:], `"`))
		}
		s.files = append(s.files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A taker is a function some of whose parameters are formats.
type taker map[int]bool

// takers are those of the package lang, and all that hand a parameter of
// theirs on to one: by package and name, which in a package no other has.
func (s source) takers() map[string]taker {
	known := map[string]taker{"lang.Errorf": {0: true}, "lang.New": {0: true}, "lang.Join": {0: true}}
	for grown := true; grown; {
		grown = false
		for _, f := range s.files {
			f.functions(func(name string, params []string, body *ast.BlockStmt) {
				name = f.pkg + "." + name
				for _, arg := range f.formats(body, known) {
					id, ok := arg.(*ast.Ident)
					if i := slices.Index(params, nameOf(id, ok)); i >= 0 && !known[name][i] {
						if known[name] == nil {
							known[name] = taker{}
						}
						known[name][i], grown = true, true
					}
				}
			})
		}
	}
	return known
}

func nameOf(id *ast.Ident, ok bool) string {
	if !ok {
		return "\x00"
	}
	return id.Name
}

// functions calls do for each function that has a name, be it declared or put into
// a variable.
func (f file) functions(do func(name string, params []string, body *ast.BlockStmt)) {
	names := func(t *ast.FuncType) (params []string) {
		for _, p := range t.Params.List {
			for _, n := range p.Names {
				params = append(params, n.Name)
			}
		}
		return params
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				do(n.Name.Name, names(n.Type), n.Body)
			}
		case *ast.AssignStmt:
			if lit, ok := n.Rhs[0].(*ast.FuncLit); ok {
				if id, ok := n.Lhs[0].(*ast.Ident); ok {
					do(id.Name, names(lit.Type), lit.Body)
				}
			}
		}
		return true
	})
}

// formats returns what calls below a node hand on as a format.
func (f file) formats(n ast.Node, known map[string]taker) (args []ast.Expr) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for i, arg := range call.Args {
				if known[f.called(call)][i] {
					args = append(args, arg)
				}
			}
		}
		return true
	})
	return args
}

// words returns what stands in lists of words, which are formats without a value.
func (f file) words() (list []ast.Expr) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !f.isWords(lit.Type) {
			return true
		}
		for _, e := range lit.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				e = pair.Value
			}
			list = append(list, e)
		}
		return true
	})
	return list
}

// isWords says whether a type is that of a list of words, or of a table of them.
func (f file) isWords(t ast.Expr) bool {
	switch all := t.(type) {
	case *ast.ArrayType:
		t = all.Elt
	case *ast.MapType:
		t = all.Value
	default:
		return false
	}
	switch of := t.(type) {
	case *ast.Ident:
		return f.pkg+"."+of.Name == "lang.Word"
	case *ast.SelectorExpr:
		id, ok := of.X.(*ast.Ident)
		return ok && id.Name+"."+of.Sel.Name == "lang.Word"
	}
	return false
}

// called names what a call calls: with its package, which for a method is this one.
func (f file) called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return f.pkg + "." + fun.Name
	case *ast.SelectorExpr:
		if id, ok := fun.X.(*ast.Ident); ok && slices.Contains(f.imports, id.Name) {
			return id.Name + "." + fun.Sel.Name
		}
		return f.pkg + "." + fun.Sel.Name
	}
	return ""
}

// literal is the value of a string that stands in the code.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, ok := literal(e.X)
		y, also := literal(e.Y)
		return x + y, ok && also
	}
	return "", false
}

var (
	verb  = regexp.MustCompile(`%([-+# 0]*)(?:\[(\d+)\])?([0-9.*]*)([a-zA-Z%])`)
	words = regexp.MustCompile(`[a-zA-Z]`)
)

// verbs are what a format wants, value by value.
func verbs(format string) []string {
	var all []string
	next := 0
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[4] == "%" {
			continue
		}
		if n, err := strconv.Atoi(m[2]); err == nil {
			next = n - 1
		}
		for len(all) <= next {
			all = append(all, "")
		}
		all[next] = m[1] + m[3] + m[4]
		next++
	}
	return all
}

// TestEveryMessageIsTranslated, into every language, with the same values; and
// nothing is that nobody says.
func TestEveryMessageIsTranslated(t *testing.T) {
	s := readSource(t)
	takers := s.takers()
	said := map[string]token.Position{}
	for _, f := range s.files {
		params := map[string]bool{} // of functions that only hand a format on
		f.functions(func(name string, of []string, _ *ast.BlockStmt) {
			for i, p := range of {
				params[p] = params[p] || takers[f.pkg+"."+name][i]
			}
		})
		for _, arg := range append(f.formats(f.File, takers), f.words()...) {
			text, ok := literal(arg)
			if id, named := arg.(*ast.Ident); !ok && !(named && params[id.Name]) {
				t.Errorf("%s: a format that does not stand there", s.fset.Position(arg.Pos()))
			}
			if _, before := said[text]; !before {
				said[text] = s.fset.Position(arg.Pos())
			}
		}
	}
	for text, at := range faultTexts(t) {
		said[text] = at
	}
	for _, lang := range prose.Languages()[1:] {
		known := prose.Load(lang).Messages()
		for _, text := range slices.Sorted(maps.Keys(said)) {
			switch own := known[text]; {
			case own == "" && words.MatchString(verb.ReplaceAllString(text, "")):
				t.Errorf("%s: messages.toml of %s lacks %q", said[text], lang, text)
			case own != "" && !slices.Equal(verbs(own), verbs(text)):
				t.Errorf("%s: %q wants %q and %q %q", lang, text, verbs(text), own, verbs(own))
			}
		}
		for _, text := range slices.Sorted(maps.Keys(known)) {
			if _, ok := said[text]; !ok {
				t.Errorf("messages.toml of %s has %q, which nobody says", lang, text)
			}
		}
	}
}

// faultTexts returns the comments on deliberate faults and where they stand. They are
// shown with the source.
func faultTexts(t *testing.T) map[string]token.Position {
	all := map[string]token.Position{}
	for _, s := range strategies.Catalogue() {
		for i, said := range lesson.FaultTexts(strings.Split(strategies.Source(s.File), "\n")) {
			all[said] = token.Position{Filename: "strategies/" + s.File, Line: i + 1}
		}
	}
	return all
}

// TestEveryErrorIsAMessage: fmt.Errorf and errors.New know no language.
func TestEveryErrorIsAMessage(t *testing.T) {
	s := readSource(t)
	for _, f := range s.files {
		for _, arg := range f.formats(f.File, map[string]taker{"fmt.Errorf": {0: true}, "errors.New": {0: true}}) {
			if text, ok := literal(arg); ok { // what is no literal is said by somebody else, such as a server
				t.Errorf("%s: %q; use lang.Errorf", s.fset.Position(arg.Pos()), text)
			}
		}
	}
}
