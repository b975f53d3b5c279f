package trial

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// This file writes the test of a lock, by what its package exports. It reads the
// package's syntax only, since it has to say something of a package that does not
// compile yet, too.

// AdapterFile is the file of an Adapter.
const AdapterFile = "lockstep_test.go"

// Adapter is the text of a test that hands the lock of a package, a folder or an import
// path, to locktest.Check. dir is the folder for which it is, whose module knows the
// path.
func Adapter(ctx context.Context, dir, name string) (string, error) {
	p := named(name)
	p.in = cmp.Or(p.in, dir)
	listed, err := p.one(ctx)
	if err != nil {
		return "", err
	}
	a := &adapter{pkg: listed.Name, types: map[string]ast.Expr{}}
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", &CompileError{Says: err.Error()}
		}
		a.read(file)
	}
	body, ok := a.factory()
	if !ok {
		return "", lang.Errorf("no exported type of %s looks like a lock; it takes a way to make one, and methods such as %s and %s", listed.ImportPath, acquires[0], releases[0])
	}
	imports := fmt.Sprintf("\t%s%q\n\t%q\n", a.alias(listed.ImportPath), listed.ImportPath, tester)
	if a.named {
		imports = fmt.Sprintf("\t%q\n", goRedis) + imports
	}
	text := fmt.Sprintf(`package %s_test

import (
	%q
	%q

%s)

// The factory makes the lock of one client. Everything that the lock uses comes from
// c: look at each argument that is not.
func TestUnderLockstep(t *testing.T) {
	locktest.Check(t, func(c locktest.Client) (locktest.Lock, error) {
		%s
	}%s)
}
`, testPackage(dir, listed.Dir, listed.Name), "context", "testing", imports, body, a.options())
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

// alias names an import whose path does not end in the package's name.
func (a *adapter) alias(imported string) string {
	if path.Base(imported) == a.pkg {
		return ""
	}
	return a.pkg + " "
}

type adapter struct {
	pkg      string
	imports  map[string]string // of the file that is read
	types    map[string]ast.Expr
	redis    []string // interfaces of its own that are made of go-redis
	funcs    []function
	literals []function // structs, of which one is made of its fields
	errors   []string   // exported variables
	named    bool       // the text names go-redis
}

// A function is an exported one, or a method.
type function struct {
	name, of        string // "" for no receiver, and no name for a literal
	params, results []param
}

// A param is a parameter or a result, by its kind.
type param struct {
	name, kind string
	is         ast.Expr
}

const goRedis = "github.com/redis/go-redis/v9"

// The kinds of parameters that can be filled. Another kind is the name of a type of the
// package, or "".
const (
	aContext, aRedis, aString, aDuration, aBool, anError, manyRedis = "ctx", "redis", "string", "duration", "bool", "error", "redises"
)

// read collects what a file declares.
func (a *adapter) read(file *ast.File) {
	a.imports = imports(file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			of := ""
			if d.Recv.NumFields() > 0 { // the parser accepts an empty list
				of = a.kindOf(d.Recv.List[0].Type)
			}
			if d.Name.IsExported() && d.Type.TypeParams == nil {
				a.add(d.Name.Name, of, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					a.addType(s)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if strings.HasPrefix(name.Name, "Err") {
							a.errors = append(a.errors, name.Name)
						}
					}
				}
			}
		}
	}
}

func (a *adapter) add(name, of string, t *ast.FuncType) {
	a.funcs = append(a.funcs, function{name, of, a.params(t.Params), a.params(t.Results)})
}

func (a *adapter) addType(s *ast.TypeSpec) {
	name, exported := s.Name.Name, s.Name.IsExported()
	a.types[name] = s.Type
	switch t := s.Type.(type) {
	case *ast.InterfaceType:
		for _, m := range t.Methods.List {
			if t, ok := m.Type.(*ast.FuncType); ok && exported {
				a.add(m.Names[0].Name, name, t)
			}
		}
		ast.Inspect(t, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && a.kindOf(x) == aRedis {
				a.redis = append(a.redis, name)
			}
			return true
		})
	case *ast.StructType:
		if exported {
			fields := slices.DeleteFunc(a.params(t.Fields), func(p param) bool {
				return !ast.IsExported(p.name) || p.kind == aDuration && !durations.MatchString(p.name)
			})
			a.literals = append(a.literals, function{params: fields, results: []param{{kind: name}}})
		}
	}
}

// params are the parameters or results of a function, without those that may be left
// out.
func (a *adapter) params(fields *ast.FieldList) (all []param) {
	if fields == nil {
		return nil
	}
	for _, field := range fields.List {
		p := param{is: field.Type}
		more, variadic := p.is.(*ast.Ellipsis)
		if variadic {
			p.is = more.Elt
		}
		if p.kind = a.kindOf(p.is); variadic && p.kind != aRedis {
			continue
		}
		if len(field.Names) == 0 {
			all = append(all, p)
		}
		for _, name := range field.Names {
			p.name = name.Name
			all = append(all, p)
		}
	}
	return all
}

// kindOf is the kind of a type, behind a pointer or not.
func (a *adapter) kindOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return a.kindOf(t.X)
	case *ast.ArrayType:
		if a.kindOf(t.Elt) != aRedis {
			return ""
		}
		if of, is := t.Elt.(*ast.SelectorExpr); is {
			return manyRedis + of.Sel.Name
		}
		return manyRedis
	case *ast.SelectorExpr:
		x, _ := t.X.(*ast.Ident)
		switch name := x.String(); {
		case name == a.imports["context"] && t.Sel.Name == "Context":
			return aContext
		case name == a.imports["time"] && t.Sel.Name == "Duration":
			return aDuration
		case name == a.imports[goRedis] && slices.Contains([]string{"Client", "UniversalClient", "Cmdable", "Scripter", "StatefulCmdable"}, t.Sel.Name):
			return aRedis
		}
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// zero is a value for a parameter of which nothing is known.
func (a *adapter) zero(p param) string {
	_, plain := p.is.(*ast.Ident)
	switch {
	case p.kind == aDuration:
		return "0"
	case !plain || p.kind == "any" || p.kind == anError:
		return "nil"
	case p.kind == aBool:
		return "false"
	case p.kind == aString:
		return `""`
	case a.types[p.kind] != nil:
		return "*new(" + a.pkg + "." + p.kind + ")"
	}
	return "0"
}

// What methods that acquire and release are called, the best first.
var (
	acquires = []string{"Lock", "Obtain", "Acquire", "LockContext", "TryLock", "TryLockContext", "TryAcquire", "TryObtain"}
	releases = []string{"Unlock", "Release", "UnlockContext", "Free"}
)

// factory is the body of the factory; ok is false if there is no lock.
func (a *adapter) factory() (body string, ok bool) {
	for _, name := range acquires {
		for _, lock := range a.funcs {
			if lock.name != name || lock.of == "" {
				continue
			}
			made, can := a.make(lock.of, "l", 0)
			if !can {
				continue
			}
			if text, can := a.closures(lock, made); can {
				return text, true
			}
		}
	}
	return "", false
}

// forms are how a method's results become an error, by their kinds; LOST is the error for
// no lock.
var forms = map[string]string{
	"":           "CALL\nreturn nil",
	anError:      "return CALL",
	aBool:        "if !CALL {\nreturn LOST\n}\nreturn nil",
	"bool,error": "ok, err := CALL\nif err == nil && !ok {\nerr = LOST\n}\nreturn err",
}

// kinds are the kinds of a function's results, after each other.
func (f function) kinds() string {
	kinds := make([]string, len(f.results))
	for i, r := range f.results {
		kinds[i] = r.kind
	}
	return strings.Join(kinds, ",")
}

// closure is a function for locktest that calls a method.
func (a *adapter) closure(form, on string, f function, token, lost string) string {
	call := on + "." + f.name + "(" + a.arguments(f, "ctx", token) + ")"
	return "func(ctx context.Context) error {\n" + strings.NewReplacer("CALL", call, "LOST", "locktest."+lost).Replace(form) + "\n}"
}

// closures are the two functions of a lock that is made so.
func (a *adapter) closures(lock function, made string) (string, bool) {
	of, held, token, before := lock.of, "l", "", ""
	form, known := forms[lock.kinds()]
	if first, is := strings.CutSuffix(lock.kinds(), ","+anError); is && !known {
		result := "string"
		switch {
		case first == aString:
			held, token = "l", "token"
		case a.types[first] != nil:
			of, held, result = first, "held", a.pkg+"."+first
			if _, is := a.types[of].(*ast.InterfaceType); !is {
				result = "*" + result
			}
		default:
			return "", false
		}
		name := cmp.Or(token, held)
		known, before, form = true, "var "+name+" "+result+"\n", "got, err := CALL\nif err == nil {\n"+name+" = got\n}\nreturn err"
	}
	acquire := a.closure(form, "l", lock, "", "ErrNotAcquired")
	for _, name := range releases {
		i := slices.IndexFunc(a.funcs, func(f function) bool { return f.name == name && f.of == of })
		if i < 0 {
			continue
		}
		form, is := forms[a.funcs[i].kinds()]
		if !is && len(a.funcs[i].results) == 2 {
			form, is = "_, err := CALL\nreturn err", true
		}
		if is && known {
			release := a.closure(form, held, a.funcs[i], token, "ErrLost")
			return made + "\n" + before + "return locktest.Funcs(" + acquire + ", " + release + "), nil", true
		}
	}
	return "", false
}

// maxMakers bounds how many things are made one of the other.
const maxMakers = 3

// make makes a variable of a type, by a function, a method of something else, or a literal.
func (a *adapter) make(of, as string, depth int) (string, bool) {
	if depth > maxMakers {
		return "", false
	}
	for _, f := range slices.Concat(a.funcs, a.literals) {
		if len(f.results) == 0 || f.results[0].kind != of || slices.Contains(acquires, f.name) || len(f.results) > 2 || f.of == of {
			continue
		}
		text, at := "", a.pkg+"."+f.name
		switch {
		case f.of != "":
			maker, can := a.make(f.of, "maker", depth+1)
			if !can {
				continue
			}
			text, at = maker+"\n", "maker."+f.name
		case !slices.ContainsFunc(f.params, a.isRedis):
			continue
		case f.name == "":
			return as + " := &" + at + of + "{" + a.arguments(f, background, "") + "}", true
		}
		call := at + "(" + a.arguments(f, background, "") + ")"
		if len(f.results) == 2 {
			return text + as + ", err := " + call + "\nif err != nil {\nreturn nil, err\n}", true
		}
		return text + as + " := " + call, true
	}
	return "", false
}

func (a *adapter) isRedis(p param) bool {
	return p.kind == aRedis || strings.HasPrefix(p.kind, manyRedis) || slices.Contains(a.redis, p.kind)
}

const background = "context.Background()"

var (
	tokens    = regexp.MustCompile(`(?i)token|value|owner|uuid|id$|secret`)
	durations = regexp.MustCompile(`(?i)ttl|expir|lease|valid`)
)

// arguments fill the parameters of a function, or the fields of a literal for which there is
// something, with what a client has. The first text that is no token is the key, and the first
// duration the TTL. token is the variable with the token; "" if the client's name is one.
func (a *adapter) arguments(f function, ctx, token string) string {
	var all []string
	key, ttl := "c.Key", "c.TTL"
	for _, p := range f.params {
		value := ""
		switch {
		case p.kind == manyRedis:
			value = "c.Nodes"
		case strings.HasPrefix(p.kind, manyRedis):
			a.named = true
			value = "[]redis." + strings.TrimPrefix(p.kind, manyRedis) + "{c.Redis}"
		case a.isRedis(p):
			value = "c.Redis"
		case p.kind == aContext:
			value = ctx
		case p.kind == aDuration:
			value, ttl = ttl, ""
		case p.kind == aString && tokens.MatchString(p.name):
			value = cmp.Or(token, "c.Name")
		case p.kind == aString:
			value, key = key, token
		}
		switch {
		case f.name != "":
			all = append(all, cmp.Or(value, a.zero(p)))
		case value != "":
			all = append(all, p.name+": "+value)
		}
	}
	return strings.Join(all, ", ")
}

// The names of errors that say that another client holds the lock, and that it was
// lost.
var (
	refusals = regexp.MustCompile(`(?i)not?(obtain|acquir|lock)|taken|locked|busy|refus|failed|conflict|inuse|alreadyheld|heldby`)
	losses   = regexp.MustCompile(`(?i)not?t?(held|own|locked)|lost|expired|notmine|mismatch`)
)

// options name the errors of the lock.
func (a *adapter) options() (text string) {
	by := map[string][]string{}
	for _, name := range a.errors {
		switch {
		case losses.MatchString(name):
			by["LostBy"] = append(by["LostBy"], a.pkg+"."+name)
		case refusals.MatchString(name):
			by["RefusedBy"] = append(by["RefusedBy"], a.pkg+"."+name)
		}
	}
	for _, option := range []string{"RefusedBy", "LostBy"} {
		if len(by[option]) > 0 {
			text += ", locktest." + option + "(" + strings.Join(by[option], ", ") + ")"
		}
	}
	return text
}
