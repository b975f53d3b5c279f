package trial

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
	p := &Package{name: name, in: dir}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		p.name, p.in = ".", name
	}
	listed, err := p.one(ctx)
	if err != nil {
		return "", err
	}
	a := &adapter{pkg: listed.Name, types: map[string]*ast.TypeSpec{}}
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
	pkg    string
	types  map[string]*ast.TypeSpec
	redis  []string // interfaces of its own that are made of go-redis
	funcs  []function
	errors []string // exported variables
	named  bool     // the text names go-redis
}

// A function is an exported one, or a method.
type function struct {
	name, of        string // "" for no receiver
	params, results []param
}

// A param is a parameter or a result, by its kind.
type param struct {
	name, kind, zero string
}

const goRedis = "github.com/redis/go-redis/v9"

// The kinds of parameters that can be filled. Another kind is the name of a type of the
// package, or "".
const (
	aContext, aRedis, aString, aDuration, aBool, anError, manyRedis = "ctx", "redis", "string", "duration", "bool", "error", "redises"
)

// read collects what a file declares.
func (a *adapter) read(file *ast.File) {
	imports := map[string]string{}
	for _, i := range file.Imports {
		at, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(at)
		if at == goRedis && i.Name == nil {
			name = "redis"
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = at
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			a.addFunc(d, imports)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				a.addSpec(s, imports)
			}
		}
	}
}

func (a *adapter) addSpec(s ast.Spec, imports map[string]string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		a.types[s.Name.Name] = s
		if i, ok := s.Type.(*ast.InterfaceType); ok {
			for _, m := range i.Methods.List {
				if t, ok := m.Type.(*ast.FuncType); ok && s.Name.IsExported() {
					a.funcs = append(a.funcs, function{m.Names[0].Name, s.Name.Name, a.params(t.Params, imports), a.params(t.Results, imports)})
				}
			}
			ast.Inspect(i, func(n ast.Node) bool {
				if x, ok := n.(*ast.SelectorExpr); ok && kindOf(x, imports) == aRedis {
					a.redis = append(a.redis, s.Name.Name)
				}
				return true
			})
		}
		if t, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() { // made by a literal
			f := function{name: "&", results: []param{{kind: s.Name.Name}}}
			for _, field := range t.Fields.List {
				for _, name := range field.Names {
					kind := kindOf(field.Type, imports)
					if name.IsExported() && kind != "" && (kind != aDuration || leases.MatchString(name.Name)) {
						f.params = append(f.params, param{name.Name, kind, ""})
					}
				}
			}
			a.funcs = append(a.funcs, f)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if strings.HasPrefix(name.Name, "Err") {
				a.errors = append(a.errors, name.Name)
			}
		}
	}
}

func (a *adapter) addFunc(d *ast.FuncDecl, imports map[string]string) {
	if !d.Name.IsExported() || d.Type.TypeParams != nil {
		return
	}
	f := function{name: d.Name.Name}
	if d.Recv != nil {
		f.of = kindOf(d.Recv.List[0].Type, imports)
	}
	f.params, f.results = a.params(d.Type.Params, imports), a.params(d.Type.Results, imports)
	a.funcs = append(a.funcs, f)
}

// params are the parameters or results of a function, without those that may be left
// out.
func (a *adapter) params(fields *ast.FieldList, imports map[string]string) (all []param) {
	if fields == nil {
		return nil
	}
	for _, field := range fields.List {
		if more, is := field.Type.(*ast.Ellipsis); is {
			if kindOf(more.Elt, imports) != aRedis {
				continue
			}
			field.Type = more.Elt
		}
		p := param{kind: kindOf(field.Type, imports), zero: a.zero(field.Type)}
		if p.kind == aDuration {
			p.zero = "0"
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
func kindOf(t ast.Expr, imports map[string]string) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return kindOf(t.X, imports)
	case *ast.ArrayType:
		if kindOf(t.Elt, imports) == aRedis {
			if of, is := t.Elt.(*ast.SelectorExpr); is {
				return manyRedis + of.Sel.Name
			}
			return manyRedis
		}
	case *ast.SelectorExpr:
		x, _ := t.X.(*ast.Ident)
		switch at := imports[x.String()]; {
		case at == "context" && t.Sel.Name == "Context":
			return aContext
		case at == "time" && t.Sel.Name == "Duration":
			return aDuration
		case at == goRedis && slices.Contains([]string{"Client", "UniversalClient", "Cmdable", "Scripter", "StatefulCmdable"}, t.Sel.Name):
			return aRedis
		}
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// zero is a value of a type that nothing is known of.
func (a *adapter) zero(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		switch b := types.Universe.Lookup(t.Name); {
		case t.Name == aBool:
			return "false"
		case t.Name == aString:
			return `""`
		case b != nil && t.Name != "any" && t.Name != anError:
			return "0"
		case b == nil:
			return "*new(" + a.pkg + "." + t.Name + ")"
		}
	case *ast.SelectorExpr:
		return ""
	}
	return "nil"
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

// closures are the two functions of a lock that is made so.
func (a *adapter) closures(lock function, made string) (string, bool) {
	of, before, held, token := lock.of, "", "l", ""
	acquire, known := forms[lock.kinds()]
	if first, is := strings.CutSuffix(lock.kinds(), ","+anError); is && !known {
		switch {
		case first == aString:
			before, token = "var token string\n", "token"
			acquire = "var err error\ntoken, err = CALL\nreturn err"
		case a.types[first] != nil:
			of, held = first, "held"
			star := "*"
			if _, is := a.types[of].Type.(*ast.InterfaceType); is {
				star = ""
			}
			before, acquire = "var held "+star+a.pkg+"."+of+"\n", "var err error\nheld, err = CALL\nreturn err"
		}
	}
	if acquire == "" {
		return "", false
	}
	acquire = strings.NewReplacer("CALL", "l."+lock.name+"("+a.arguments(lock, "ctx", "")+")", "LOST", "locktest.ErrNotAcquired").Replace(acquire)
	for _, name := range releases {
		i := slices.IndexFunc(a.funcs, func(f function) bool { return f.name == name && f.of == of })
		if i < 0 {
			continue
		}
		release, known := forms[a.funcs[i].kinds()]
		switch {
		case known:
		case len(a.funcs[i].results) == 2:
			release = "_, err := CALL\nreturn err"
		default:
			continue
		}
		release = strings.NewReplacer("CALL", held+"."+name+"("+a.arguments(a.funcs[i], "ctx", token)+")", "LOST", "locktest.ErrLost").Replace(release)
		return fmt.Sprintf("%s\n%sreturn locktest.Funcs(func(ctx context.Context) error {\n%s\n}, func(ctx context.Context) error {\n%s\n}), nil", made, before, acquire, release), true
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
	for _, literal := range []bool{false, true} {
		for _, f := range a.funcs {
			if len(f.results) == 0 || f.results[0].kind != of || (f.name == "&") != literal || slices.Contains(acquires, f.name) || len(f.results) > 2 || f.of == of {
				continue
			}
			text, at := "", a.pkg+"."+f.name
			if f.of != "" {
				maker, can := a.make(f.of, "maker", depth+1)
				if !can {
					continue
				}
				text, at = maker+"\n", "maker."+f.name
			} else if !slices.ContainsFunc(f.params, func(p param) bool { return a.isRedis(p) }) {
				continue
			}
			switch {
			case literal:
				return as + " := &" + a.pkg + "." + of + "{" + a.fields(f) + "}", true
			case len(f.results) == 2:
				return text + as + ", err := " + at + "(" + a.arguments(f, background, "") + ")\nif err != nil {\nreturn nil, err\n}", true
			}
			return text + as + " := " + at + "(" + a.arguments(f, background, "") + ")", true
		}
	}
	return "", false
}

func (a *adapter) isRedis(p param) bool {
	return p.kind == aRedis || strings.HasPrefix(p.kind, manyRedis) || slices.Contains(a.redis, p.kind)
}

// arguments fill the parameters of a function.
func (a *adapter) arguments(f function, ctx, token string) string {
	all := a.values(f, ctx, token)
	for i, p := range f.params {
		all[i] = cmp.Or(all[i], p.zero, "nil")
	}
	return strings.Join(all, ", ")
}

// fields fill the fields of a literal.
func (a *adapter) fields(f function) string {
	var all []string
	for i, v := range a.values(f, background, "") {
		if v != "" {
			all = append(all, f.params[i].name+": "+v)
		}
	}
	return strings.Join(all, ", ")
}

const background = "context.Background()"

var (
	tokens = regexp.MustCompile(`(?i)token|value|owner|uuid|id$|secret`)
	leases = regexp.MustCompile(`(?i)ttl|expir|lease|valid`)
)

// values are what each parameter or field gets of what a client has; "" for nothing. The
// first text that is no token is the key, and the first duration the TTL. token is the
// variable with the token; "" if the client's name is one.
func (a *adapter) values(f function, ctx, token string) []string {
	all := make([]string, len(f.params))
	key, ttl := "c.Key", "c.TTL"
	for i, p := range f.params {
		switch {
		case p.kind == manyRedis:
			all[i] = "c.Nodes"
		case strings.HasPrefix(p.kind, manyRedis):
			a.named = true
			all[i] = "[]redis." + strings.TrimPrefix(p.kind, manyRedis) + "{c.Redis}"
		case a.isRedis(p):
			all[i] = "c.Redis"
		case p.kind == aContext:
			all[i] = ctx
		case p.kind == aDuration:
			all[i], ttl = ttl, ""
		case p.kind == aString && tokens.MatchString(p.name):
			all[i] = cmp.Or(token, "c.Name")
		case p.kind == aString:
			all[i], key = key, token
		}
	}
	return all
}

// The names of errors that say that another client holds the lock, and that it was
// lost.
var (
	refusals = regexp.MustCompile(`(?i)not?(obtain|acquir|lock)|taken|locked|busy|refus|failed|conflict|inuse|alreadyheld|heldby`)
	losses   = regexp.MustCompile(`(?i)not?t?(held|own|locked)|lost|expired|notmine|mismatch`)
)

// options name the errors of the lock.
func (a *adapter) options() string {
	var refused, lost []string
	for _, name := range a.errors {
		switch {
		case losses.MatchString(name):
			lost = append(lost, a.pkg+"."+name)
		case refusals.MatchString(name):
			refused = append(refused, a.pkg+"."+name)
		}
	}
	var out bytes.Buffer
	if len(refused) > 0 {
		fmt.Fprintf(&out, ", locktest.RefusedBy(%s)", strings.Join(refused, ", "))
	}
	if len(lost) > 0 {
		fmt.Fprintf(&out, ", locktest.LostBy(%s)", strings.Join(lost, ", "))
	}
	return out.String()
}
