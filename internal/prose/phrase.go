package prose

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template/parse"

	"lockstep/internal/lang"
)

// A phrase is a text with fields, in a part of the notation of text/template: fields,
// if, else, with, or, and, not, eq, ne and gt. Package text/template finds methods by
// name at run time, so the linker would keep every exported method of all types: a
// third of what a browser loads. A phrase is parsed when it is first used.
type phrase func() (*parse.Tree, error)

// functions are the functions in phrases, and how many values each takes; "" is a value
// alone.
var functions = map[string]any{"": 1, "not": 1, "or": 2, "and": 2, "eq": 2, "ne": 2, "gt": 2}

// newPhrase returns the phrase of a text. Its errors begin with the name.
func newPhrase(name, text string) phrase {
	return sync.OnceValues(func() (*parse.Tree, error) {
		trees, err := parse.Parse(name, text, "", "", functions)
		return trees[name], err
	})
}

// fill writes the phrase with the fields of a struct. What has no meaning in a phrase
// panics below it, as reflect does for a field that there is not.
func (p phrase) fill(facts any) (text string, err error) {
	tree, err := p()
	if err != nil {
		return "", err
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			text, err = "", fmt.Errorf("%s: %v", tree.Name, wrong)
		}
	}()
	f := filling{all: reflect.ValueOf(facts)}
	f.list(tree.Root, f.all)
	return f.text.String(), nil
}

// A filling is the evaluation of a phrase.
type filling struct {
	all  reflect.Value
	text strings.Builder
}

func (f *filling) list(nodes *parse.ListNode, dot reflect.Value) {
	if nodes == nil {
		return
	}
	for _, node := range nodes.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			f.text.Write(node.Text)
		case *parse.ActionNode:
			fmt.Fprint(&f.text, f.pipe(node.Pipe, dot).Interface())
		case *parse.IfNode:
			f.branch(&node.BranchNode, dot)
		case *parse.WithNode:
			f.branch(&node.BranchNode, dot)
		default:
			panic(node.String() + " has no meaning here")
		}
	}
}

// branch writes one of two lists. In a with, the condition becomes the dot.
func (f *filling) branch(b *parse.BranchNode, dot reflect.Value) {
	switch v := f.pipe(b.Pipe, dot); {
	case v.IsZero():
		f.list(b.ElseList, dot)
	case b.Type() == parse.NodeWith:
		f.list(b.List, v)
	default:
		f.list(b.List, dot)
	}
}

// pipe evaluates a value, or a function of values. Compared values have one kind: strings
// or whole numbers.
func (f *filling) pipe(p *parse.PipeNode, dot reflect.Value) reflect.Value {
	name, args := "", p.Cmds[0].Args
	if function, call := args[0].(*parse.IdentifierNode); call {
		name, args = function.Ident, args[1:]
	}
	if len(p.Cmds) != 1 || len(p.Decl) > 0 || functions[name] != len(args) {
		panic(p.String() + " has no meaning here")
	}
	a, order := f.value(args[0], dot), 0
	switch name {
	case "":
		return a
	case "not":
		return reflect.ValueOf(a.IsZero())
	case "or", "and":
		if a.IsZero() == (name == "and") {
			return a
		}
		return f.value(args[1], dot)
	}
	if b := f.value(args[1], dot); a.Kind() == reflect.String && b.Kind() == reflect.String {
		order = strings.Compare(a.String(), b.String())
	} else {
		order = cmp.Compare(a.Int(), b.Int())
	}
	return reflect.ValueOf(map[string]bool{"eq": order == 0, "ne": order != 0, "gt": order > 0}[name])
}

// value evaluates a field, the dot, or a constant.
func (f *filling) value(node parse.Node, dot reflect.Value) reflect.Value {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return field(dot, node.Ident)
	case *parse.VariableNode: // there is only $
		return field(f.all, node.Ident[1:])
	case *parse.StringNode:
		return reflect.ValueOf(node.Text)
	case *parse.NumberNode:
		return reflect.ValueOf(int(node.Int64))
	}
	panic(node.String() + " has no meaning here")
}

func field(of reflect.Value, path []string) reflect.Value {
	name := strings.Join(path, ".")
	v := of.FieldByName(name)
	if !v.IsValid() {
		panic(fmt.Sprintf("%s has no field %s", of.Type(), name))
	}
	return v
}

// Facts are the values in a sentence about a run. Each may be empty.
type Facts struct {
	Client, Other string // who did it, or to whom it happened; who else is concerned
	// Commands by name, and the source lines that sent them. In a sentence, Cmd and
	// OtherCmd include their lines.
	Cmd, Line, OtherCmd, OtherLine string
	Key, Node                      string // Node may be several
	At, From, To, Lease            string // moments, and a length of time
	Before, After, Reply           string // values
	Resource, Invariant            string
	Lock, Own                      string // another lock, and that of the run
	Hazard                         string // by its id
	Shown                          string // a line of a transcript
	N, M                           int64
}

// Say returns a sentence about a run. Without a text it returns the id, so that a
// mistake is visible.
func (b *Book) Say(id string, f Facts) string {
	if f.Invariant != "" {
		f.Invariant = b.InvariantName(f.Invariant)
	}
	if f.Hazard != "" {
		f.Hazard = b.Fill("hazard", TextFacts{Hazard: f.Hazard, What: b.Hazard(f.Hazard).Name})
	}
	f.Node = lang.Names(strings.Split(f.Node, ", ")).In(b.Language())
	f.Cmd = b.command(f.Cmd, f.Line)
	f.OtherCmd = b.command(f.OtherCmd, f.OtherLine)
	text, err := execute(b.phrases["says."+id], f)
	if err != nil {
		return id
	}
	return strings.ReplaceAll(text, "\uff09 ", "\uff09") // a full-width bracket needs no space
}

// command writes a command with its source line.
func (b *Book) command(cmd, line string) string {
	text, err := execute(b.phrases["says.command"], Facts{Cmd: cmd, Line: line})
	if err != nil || cmd == "" {
		return cmd
	}
	return text
}
