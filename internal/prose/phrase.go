package prose

import (
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

// functions are the functions in phrases.
var functions = map[string]any{"or": true, "and": true, "not": true, "eq": true, "ne": true, "gt": true}

// newPhrase returns the phrase of a text. Its errors begin with the name.
func newPhrase(name, text string) phrase {
	return sync.OnceValues(func() (*parse.Tree, error) {
		trees, err := parse.Parse(name, text, "", "", functions)
		return trees[name], err
	})
}

// fill writes the phrase with the fields of a struct.
func (p phrase) fill(facts any) (text string, err error) {
	tree, err := p()
	if err != nil {
		return "", err
	}
	f := filling{all: reflect.ValueOf(facts)}
	if err = f.list(tree.Root, f.all); err != nil {
		return "", fmt.Errorf("%s: %w", tree.Name, err)
	}
	return f.text.String(), nil
}

// A filling is the evaluation of a phrase.
type filling struct {
	all  reflect.Value
	text strings.Builder
}

func (f *filling) list(nodes *parse.ListNode, dot reflect.Value) error {
	if nodes == nil {
		return nil
	}
	for _, node := range nodes.Nodes {
		if err := f.node(node, dot); err != nil {
			return err
		}
	}
	return nil
}

func (f *filling) node(node parse.Node, dot reflect.Value) error {
	switch node := node.(type) {
	case *parse.TextNode:
		f.text.Write(node.Text)
		return nil
	case *parse.ActionNode:
		v, err := f.pipe(node.Pipe, dot)
		if err == nil {
			_, err = fmt.Fprint(&f.text, v.Interface())
		}
		return err
	case *parse.IfNode:
		return f.branch(&node.BranchNode, dot, false)
	case *parse.WithNode:
		return f.branch(&node.BranchNode, dot, true)
	}
	return fmt.Errorf("%s has no meaning here", node)
}

// branch writes one of two lists. In a with, the condition becomes the dot.
func (f *filling) branch(b *parse.BranchNode, dot reflect.Value, with bool) error {
	v, err := f.pipe(b.Pipe, dot)
	if err != nil {
		return err
	}
	if v.IsZero() {
		return f.list(b.ElseList, dot)
	}
	if with {
		dot = v
	}
	return f.list(b.List, dot)
}

func (f *filling) pipe(p *parse.PipeNode, dot reflect.Value) (v reflect.Value, err error) {
	if len(p.Cmds) != 1 || len(p.Decl) > 0 {
		return v, fmt.Errorf("%s has no meaning here", p)
	}
	args := p.Cmds[0].Args
	name, call := args[0].(*parse.IdentifierNode)
	if !call {
		if len(args) != 1 {
			return v, fmt.Errorf("%s has no meaning here", p)
		}
		return f.value(args[0], dot)
	}
	var values []reflect.Value
	for _, arg := range args[1:] {
		v, err := f.value(arg, dot)
		if err != nil {
			return v, err
		}
		values = append(values, v)
	}
	return apply(name.Ident, values)
}

// value evaluates a field, the dot, or a constant.
func (f *filling) value(node parse.Node, dot reflect.Value) (v reflect.Value, err error) {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return field(dot, node.Ident)
	case *parse.VariableNode: // there is only $
		return field(f.all, node.Ident[1:])
	case *parse.StringNode:
		return reflect.ValueOf(node.Text), nil
	case *parse.NumberNode:
		return reflect.ValueOf(int(node.Int64)), nil
	case *parse.PipeNode:
		return f.pipe(node, dot)
	}
	return v, fmt.Errorf("%s has no meaning here", node)
}

func field(v reflect.Value, names []string) (reflect.Value, error) {
	for _, name := range names {
		if v.Kind() != reflect.Struct {
			return v, fmt.Errorf("%s has no field %s", v.Type(), name)
		}
		of := v.Type()
		if v = v.FieldByName(name); !v.IsValid() {
			return v, fmt.Errorf("%s has no field %s", of, name)
		}
	}
	return v, nil
}

// apply calls a function. Compared values have one kind: strings or whole numbers.
func apply(name string, args []reflect.Value) (v reflect.Value, err error) {
	least := map[string]int{"not": 1, "or": 1, "and": 1}[name]
	if least == 0 {
		least = 2
	}
	if len(args) < least || len(args) > least && name != "or" && name != "and" {
		return v, fmt.Errorf("%s of %d values", name, len(args))
	}
	switch name {
	case "not":
		return reflect.ValueOf(args[0].IsZero()), nil
	case "or", "and":
		for _, v = range args {
			if v.IsZero() == (name == "and") {
				break
			}
		}
		return v, nil
	}
	a, b := args[0], args[1]
	switch {
	case a.CanInt() && b.CanInt():
		return reflect.ValueOf(map[string]bool{"eq": a.Int() == b.Int(), "ne": a.Int() != b.Int(), "gt": a.Int() > b.Int()}[name]), nil
	case a.Kind() == reflect.String && b.Kind() == reflect.String:
		return reflect.ValueOf(map[string]bool{"eq": a.String() == b.String(), "ne": a.String() != b.String(), "gt": a.String() > b.String()}[name]), nil
	}
	return v, fmt.Errorf("%s of a %s and a %s", name, a.Type(), b.Type())
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
