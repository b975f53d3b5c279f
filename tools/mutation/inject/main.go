// Command inject writes a copy of a package in which every small change that it
// knows is present at once, each behind a number: the program does what it did,
// unless LOCKSTEP_MUTANT is that of a change. So a package is compiled once for
// all of its changes. ../mutate runs it and then the tests.
//
//	inject PACKAGE FOLDER
//
// writes into FOLDER the files, overlay.json for go test -overlay, and
// changes.tsv, a change a line.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A change is one token in the place of another.
type change struct {
	file      string
	line, col int
	from, to  string
}

func (c change) String() string {
	return fmt.Sprintf("%s:%d:%d\t%s -> %s", c.file, c.line, c.col, c.from, c.to)
}

// negated is the comparison that is true when another is not; shifted takes in the
// boundary or leaves it out.
var (
	negated = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
	shifted = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
	logical = map[string]string{"&&": "||", "||": "&&"}
	number  = map[string]string{
		"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<",
	}
	assigned = map[string][]string{
		"+=": {"-=", "="}, "-=": {"+=", "="}, "*=": {"/=", "="}, "/=": {"*=", "="}, "%=": {"="}, "&=": {"="}, "|=": {"="}, "&^=": {"="},
		"^=": {"="}, "<<=": {"="}, ">>=": {"="},
	}
	stepped  = map[string]string{"++": "--", "--": "++"}
	branched = map[string]string{"break": "continue", "continue": "break"}
)

// An injector puts changes into files, but for those that do not compile so.
type injector struct {
	changes []change
	without map[change]bool
}

// number returns that of a change, from 1; 0 if it does not compile.
func (in *injector) number(at token.Position, from, to string) int {
	c := change{filepath.Base(at.Filename), at.Line, at.Column, from, to}
	if in.without[c] {
		return 0
	}
	in.changes = append(in.changes, c)
	return len(in.changes)
}

// An edit puts other text in the place of a piece of a file. The text of what is
// inside is asked for, since that may have been edited too.
type edit struct {
	from, to int
	text     func(inside func(from, to int) string) string
}

// file returns the text of a file with its changes. A line stays where it is.
func (in *injector) file(path string) (string, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	off := func(p token.Pos) int { return fset.Position(p).Offset }
	var edits []edit
	put := func(n ast.Node, text func(func(int, int) string) string) {
		edits = append(edits, edit{off(n.Pos()), off(n.End()), text})
	}
	statements := map[ast.Stmt]bool{} // in whose place an if may stand
	force := func(cond ast.Expr) {    // whoever returns early does so always, or never
		at := fset.Position(cond.Pos())
		always, never := in.number(at, "condition", "true"), in.number(at, "condition", "false")
		x0, x1 := off(cond.Pos()), off(cond.End())
		edits = append(edits, edit{x0, x1, func(inside func(int, int) string) string {
			return fmt.Sprintf("mutantForced(%d, %d, %s)", always, never, inside(x0, x1))
		}})
	}
	leave := func(s ast.Stmt) { // a statement is left out
		if id := in.number(fset.Position(s.Pos()), "statement", "nothing"); id > 0 {
			x0, x1 := off(s.Pos()), off(s.End())
			edits = append(edits, edit{x0, x1, func(inside func(int, int) string) string {
				return fmt.Sprintf("if mutant != %d { %s }", id, inside(x0, x1))
			}})
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				statements[s] = true
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				statements[s] = true
			}
		case *ast.CommClause:
			for _, s := range n.Body {
				statements[s] = true
			}
		case *ast.GenDecl: // no variable stands in a constant or a type
			return n.Tok == token.VAR
		case *ast.ArrayType:
			return false
		case *ast.IfStmt:
			force(n.Cond)
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, cond := range c.(*ast.CaseClause).List {
					if n.Tag == nil {
						force(cond)
					}
				}
			}
		case *ast.ExprStmt:
			if statements[n] {
				leave(n)
			}
		case *ast.CompositeLit: // something of a list is not compared
			if _, list := n.Type.(*ast.ArrayType); list && len(n.Elts) > 1 {
				for _, e := range n.Elts {
					if _, keyed := e.(*ast.KeyValueExpr); keyed {
						continue
					}
					id, x0, x1 := in.number(fset.Position(e.Pos()), "element", "zero"), off(e.Pos()), off(e.End())
					if id > 0 {
						put(e, func(inside func(int, int) string) string {
							return fmt.Sprintf("mutantZero(%d, %s)", id, inside(x0, x1))
						})
					}
				}
			}
		case *ast.BinaryExpr:
			op, at := n.Op.String(), fset.Position(n.OpPos)
			x0, x1, y0, y1 := off(n.X.Pos()), off(n.X.End()), off(n.Y.Pos()), off(n.Y.End())
			lines := strings.Repeat("\n", strings.Count(string(src[x1:y0]), "\n"))
			switch {
			case logical[op] != "":
				id, right, left := in.number(at, op, logical[op]), in.number(at, op, "right side"), in.number(at, op, "left side")
				put(n, func(inside func(int, int) string) string {
					return fmt.Sprintf("mutantLogical(%d, %d, %d, %q, %s, func() bool {%s return %s })", id, right, left, op, inside(x0, x1), lines, inside(y0, y1))
				})
			case negated[op] != "":
				not, bound := in.number(at, op, negated[op]), 0
				if shifted[op] != "" {
					bound = in.number(at, op, shifted[op])
				}
				put(n, func(inside func(int, int) string) string {
					text := "(" + inside(x0, x1) + string(src[x1:y0]) + inside(y0, y1) + ")"
					if bound > 0 {
						text = fmt.Sprintf("mutantCompare(%d, %q, %s,%s %s)", bound, op, inside(x0, x1), lines, inside(y0, y1))
					}
					if not > 0 {
						text = fmt.Sprintf("mutantNot(%d, %s)", not, text)
					}
					return text
				})
			case number[op] != "":
				if id := in.number(at, op, number[op]); id > 0 {
					name := "mutantNumber"
					if n.Op == token.SHL || n.Op == token.SHR {
						name = "mutantShift"
					} else if strings.ContainsAny(op, "%&|^") {
						name = "mutantBits"
					}
					put(n, func(inside func(int, int) string) string {
						return fmt.Sprintf("%s(%d, %q, %s,%s %s)", name, id, op, inside(x0, x1), lines, inside(y0, y1))
					})
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				if id := in.number(fset.Position(n.OpPos), "-", "+"); id > 0 {
					x0, x1 := off(n.X.Pos()), off(n.X.End())
					put(n, func(inside func(int, int) string) string {
						return fmt.Sprintf("mutantMinus(%d, %s)", id, inside(x0, x1))
					})
				}
			}
		case *ast.IncDecStmt:
			op := n.Tok.String()
			if id := in.number(fset.Position(n.TokPos), op, stepped[op]); id > 0 {
				x0, x1 := off(n.X.Pos()), off(n.X.End())
				put(n, func(inside func(int, int) string) string {
					x := inside(x0, x1)
					if statements[n] {
						return fmt.Sprintf("if mutant == %d { %s%s } else { %s%s }", id, x, stepped[op], x, op)
					}
					return fmt.Sprintf("mutantStep(%d, %q, &%s)", id, op, x)
				})
			}
		case *ast.AssignStmt:
			op := n.Tok.String()
			if statements[n] && op == "=" {
				leave(n)
			}
			if !statements[n] || len(assigned[op]) == 0 {
				break
			}
			x0, x1, y0, y1 := off(n.Lhs[0].Pos()), off(n.Lhs[0].End()), off(n.Rhs[0].Pos()), off(n.Rhs[0].End())
			var ids []int
			for _, to := range assigned[op] {
				ids = append(ids, in.number(fset.Position(n.TokPos), op, to))
			}
			put(n, func(inside func(int, int) string) string {
				x, y, text := inside(x0, x1), inside(y0, y1), ""
				for i, id := range ids {
					if id > 0 {
						text += fmt.Sprintf("if mutant == %d { %s %s %s } else ", id, x, assigned[op][i], strings.ReplaceAll(y, "\n", " "))
					}
				}
				return text + fmt.Sprintf("{ %s %s %s }", x, op, y)
			})
		case *ast.BranchStmt:
			op := n.Tok.String()
			if n.Label == nil && branched[op] != "" {
				if id := in.number(fset.Position(n.TokPos), op, branched[op]); id > 0 {
					put(n, func(func(int, int) string) string {
						return fmt.Sprintf("if mutant == %d { %s } else { %s }", id, branched[op], op)
					})
				}
			}
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var render func(from, to, first int) string
	render = func(from, to, first int) string {
		var text strings.Builder
		for i, e := range edits[first:] {
			if e.from >= from && e.to <= to {
				text.Write(src[from:e.from])
				text.WriteString(e.text(func(from, to int) string { return render(from, to, first+i+1) }))
				from = e.to
			}
		}
		text.Write(src[from:to])
		return text.String()
	}
	return render(0, len(src), 0), nil
}

// helpers are what the edits call.
const helpers = `
import (
	mutantos "os"
	mutantstrconv "strconv"
)

var mutant, _ = mutantstrconv.Atoi(mutantos.Getenv("LOCKSTEP_MUTANT"))

type mutantInt interface{ ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr }
type mutantNum interface{ mutantInt | ~float32 | ~float64 }

func mutantNot(id int, x bool) bool { return x != (mutant == id) }
func mutantMinus[T mutantNum](id int, x T) T { if mutant == id { return x }; return -x }
func mutantStep[T mutantNum](id int, op string, x *T) { if (mutant == id) != (op == "--") { *x--; return }; *x++ }
func mutantLogical(id, right, left int, op string, x bool, y func() bool) bool {
	switch {
	case mutant == 0:
	case mutant == right: return y()
	case mutant == left: return x
	}
	if (mutant > 0 && mutant == id) != (op == "||") { return x || y() }
	return x && y()
}
func mutantForced(always, never int, x bool) bool { return mutant == 0 && x || mutant > 0 && (x || mutant == always) && mutant != never }
func mutantZero[T any](id int, x T) T { if mutant == id { var zero T; return zero }; return x }

func mutantCompare[T mutantNum | ~string](id int, op string, x, y T) bool {
	on := mutant == id
	switch op {
	case "<": return x < y || on && x == y
	case "<=": return x < y || !on && x == y
	case ">": return x > y || on && x == y
	}
	return x > y || !on && x == y
}

func mutantNumber[T mutantNum](id int, op string, x, y T) T {
	on := mutant == id
	switch {
	case op == "+" && !on, op == "-" && on: return x + y
	case op == "+", op == "-": return x - y
	case op == "*" && !on, op == "/" && on: return x * y
	}
	return x / y
}

func mutantBits[T mutantInt](id int, op string, x, y T) T {
	on := mutant == id
	switch op {
	case "%": if on { return x * y }; return x % y
	case "&": if on { return x | y }; return x & y
	}
	switch {
	case on: return x & y
	case op == "|": return x | y
	case op == "^": return x ^ y
	}
	return x &^ y
}

func mutantShift[T, U mutantInt](id int, op string, x T, y U) T { if (mutant == id) != (op == ">>") { return x >> y }; return x << y }
`

// write writes the files and the overlay.
func (in *injector) write(pkg *build.Package, folder string) error {
	in.changes = nil
	overlay := map[string]string{}
	put := func(name, text string) error {
		own, err := filepath.Abs(filepath.Join(pkg.Dir, name))
		if err != nil {
			return err
		}
		to, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		overlay[own] = to
		return os.WriteFile(to, []byte(text), 0o644)
	}
	for _, name := range pkg.GoFiles {
		text, err := in.file(filepath.Join(pkg.Dir, name))
		if err == nil {
			err = put(name, text)
		}
		if err != nil {
			return err
		}
	}
	if err := put("mutant.go", "package "+pkg.Name+"\n"+helpers); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), text, 0o644)
}

// wrong matches an error of the compiler.
var wrong = regexp.MustCompile(`(?m)(\w+\.go):(\d+):\d+: (.*)$`)

// leaveOut leaves out what may be why the package does not compile, and says
// whether there is any: first the arithmetic on the lines with errors, which may be
// of strings and constants, then statements, then whatever is left there.
func (in *injector) leaveOut(said string, try int) (any bool) {
	for _, m := range wrong.FindAllStringSubmatch(said, -1) {
		line, _ := strconv.Atoi(m[2]) // it is digits
		for _, c := range in.changes {
			suspect := try > 2 || c.to == "zero" || number[c.from] != "" || c.to == "-=" ||
				try > 0 && (c.to == "=" || c.to == "nothing" || branched[c.from] != "" || stepped[c.from] != "")
			here := c.file == m[1] && c.line == line && suspect
			// A loop that never ends needs no return behind it, unless it breaks.
			loop := strings.HasPrefix(m[3], "missing return") && c.file == m[1] && c.to == "break" && c.line < line && c.line > line-40
			if (here || loop) && !in.without[c] {
				in.without[c], any = true, true
			}
		}
	}
	return any
}

func run(dir, folder string) error {
	pkg, err := build.ImportDir(dir, 0)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return err
	}
	in := &injector{without: map[change]bool{}}
	for try := 0; ; try++ {
		if err := in.write(pkg, folder); err != nil {
			return err
		}
		said, err := exec.Command("go", "build", "-gcflags=-e", "-overlay", filepath.Join(folder, "overlay.json"), "./"+filepath.Clean(dir)).CombinedOutput()
		if err == nil {
			break
		}
		if !in.leaveOut(string(said), try) && try > 3 {
			return errors.New(string(said))
		}
	}
	var list strings.Builder
	for i, c := range in.changes {
		fmt.Fprintf(&list, "%d\t%s\n", i+1, c)
	}
	for c := range in.without {
		fmt.Fprintf(os.Stderr, "does not compile\t%s\n", c)
	}
	return os.WriteFile(filepath.Join(folder, "changes.tsv"), []byte(list.String()), 0o644)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: inject PACKAGE FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
