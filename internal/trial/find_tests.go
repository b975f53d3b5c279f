package trial

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tester is the package that tries a lock.
const tester = "lockstep/locktest"

// testsIn are the tests of these files that reach a call of locktest, by
// themselves or by functions of the files, in the order in which they stand there.
func testsIn(dir string, files []string) ([]string, error) {
	reach := calls{}
	var tests []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		used := imports(file)[tester]
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			reach.add(f, used)
			if isTest(f) {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	var found []string
	for _, test := range tests {
		if reach.checking(test, map[string]bool{}) {
			found = append(found, test)
		}
	}
	return found, nil
}

// imports is what a file calls the packages that it imports, by path.
func imports(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range file.Imports {
		at, _ := strconv.Unquote(i.Path.Value) // the parser has seen that it can be
		switch {
		case i.Name != nil:
			names[at] = i.Name.Name
		case at == "github.com/redis/go-redis/v9":
			names[at] = "redis"
		default:
			names[at] = path.Base(at)
		}
	}
	return names
}

// isTest says whether go test would run a function.
func isTest(f *ast.FuncDecl) bool {
	after, ok := strings.CutPrefix(f.Name.Name, "Test")
	first, _ := utf8.DecodeRuneInString(after)
	return ok && f.Recv == nil && !unicode.IsLower(first) && len(f.Type.Params.List) == 1
}

// calls are what functions and methods mention, by name: a method's like that of
// a function, which finds rather too much than too little.
type calls map[string][]string

// add notes what a function mentions. used is what its file calls locktest.
func (c calls) add(f *ast.FuncDecl, used string) {
	name := f.Name.Name
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && used != "" && x.Name == used {
				c[name] = append(c[name], tester)
			}
			c[name] = append(c[name], n.Sel.Name)
		case *ast.Ident:
			c[name] = append(c[name], n.Name)
		}
		return true
	})
}

// checking says whether a function comes to locktest, by others that are not met
// yet.
func (c calls) checking(name string, met map[string]bool) bool {
	if name == tester {
		return true
	}
	met[name] = true
	for _, next := range c[name] {
		if !met[next] && c.checking(next, met) {
			return true
		}
	}
	return false
}
