// Package phrase fills texts in a part of the notation of text/template: fields,
// variables, if, with, range, template, and, or, not, eq, ne, gt and len.
//
// Package text/template finds methods by name at run time, so the linker would keep every
// exported method of all types: a third of what a browser loads, a quarter of the program.
// A phrase has functions in place of methods.
package phrase

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"text/template/parse"
)

// HTML is text that a page has as it is.
type HTML string

// A Phrase is a text with fields. It is parsed when it is first used.
type Phrase struct {
	name  string
	trees func() (map[string]*parse.Tree, error)
	own   map[string]any // functions
	apply func(function any, values []reflect.Value) reflect.Value
	write func(any) string
}

// builtin are functions that every phrase has, of so many values. They are no functions
// that reflect calls, since that would be the only call of the kind that a browser loads.
type builtin struct {
	values int
	do     func(v []reflect.Value) any // nil: see call
}

var builtins = map[string]any{
	"not": builtin{1, func(v []reflect.Value) any { return !truth(v[0]) }},
	"eq":  builtin{2, func(v []reflect.Value) any { return order(v) == 0 }},
	"ne":  builtin{2, func(v []reflect.Value) any { return order(v) != 0 }},
	"gt":  builtin{2, func(v []reflect.Value) any { return order(v) > 0 }},
	"len": builtin{1, func(v []reflect.Value) any { return v[0].Len() }},
	"or":  builtin{2, nil}, "and": builtin{2, nil},
}

// New returns the phrase of a text. Its errors begin with the name.
func New(name, text string) *Phrase {
	return parsed(name, text, func(v any) string { return fmt.Sprint(v) }, nil)
}

// NewPage returns the phrase of a page, with functions of its own. What it fills in is
// escaped, unless it is HTML.
func NewPage(name, text string, escape func(string) string, own map[string]any) *Phrase {
	p := parsed(name, text, func(v any) string {
		if as, ok := v.(HTML); ok {
			return string(as)
		}
		return escape(fmt.Sprint(v))
	}, own)
	p.apply = func(function any, values []reflect.Value) reflect.Value {
		return reflect.ValueOf(function).Call(values)[0]
	}
	return p
}

func parsed(name, text string, write func(any) string, own map[string]any) *Phrase {
	return &Phrase{name: name, trees: sync.OnceValues(func() (map[string]*parse.Tree, error) {
		return parse.Parse(name, text, "", "", builtins, own)
	}), own: own, write: write}
}

// Fill writes the phrase with the fields of a struct. What has no meaning in a phrase
// panics below it, as reflect does for a field that there is not.
func (p *Phrase) Fill(facts any) (text string, err error) {
	trees, err := p.trees()
	if err != nil {
		return "", err
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			text, err = "", errors.New(p.name+": "+fmt.Sprint(wrong))
		}
	}()
	var out strings.Builder
	f := filling{p, trees, &out, map[string]reflect.Value{}}
	f.template(p.name, reflect.ValueOf(facts))
	return out.String(), nil
}

// A filling is the evaluation of a template.
type filling struct {
	*Phrase
	trees map[string]*parse.Tree
	out   *strings.Builder
	vars  map[string]reflect.Value
}

func (f filling) template(name string, dot reflect.Value) {
	f.vars = map[string]reflect.Value{"$": dot}
	f.list(f.trees[name].Root, dot)
}

func (f filling) list(nodes *parse.ListNode, dot reflect.Value) {
	if nodes == nil {
		return
	}
	for _, node := range nodes.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			f.out.Write(node.Text)
		case *parse.ActionNode:
			switch v := f.pipe(node.Pipe, dot); {
			case len(node.Pipe.Decl) > 0:
			case v.Kind() == reflect.Struct:
				panic(node.String() + " is no text")
			default:
				f.out.WriteString(f.write(v.Interface()))
			}
		case *parse.TemplateNode:
			f.template(node.Name, f.pipe(node.Pipe, dot))
		case *parse.IfNode:
			f.branch(&node.BranchNode, dot)
		case *parse.WithNode:
			f.branch(&node.BranchNode, dot)
		case *parse.RangeNode:
			all := f.pipe(node.Pipe, dot)
			if all.Kind() != reflect.Slice {
				panic(node.Pipe.String() + " is no list")
			}
			for i := range all.Len() {
				f.declare(node.Pipe, all.Index(i))
				f.list(node.List, all.Index(i))
			}
		default:
			panic(node.String() + " has no meaning here")
		}
	}
}

// branch writes one of two lists. In a with, the condition becomes the dot.
func (f filling) branch(b *parse.BranchNode, dot reflect.Value) {
	switch v := f.pipe(b.Pipe, dot); {
	case !truth(v):
		f.list(b.ElseList, dot)
	case b.Type() == parse.NodeWith:
		f.list(b.List, v)
	default:
		f.list(b.List, dot)
	}
}

// truth is whether a value is more than the zero value, or nothing in a list.
func truth(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() > 0
	}
	return !v.IsZero()
}

// pipe evaluates a value, or a function of values, and gives it a name.
func (f filling) pipe(p *parse.PipeNode, dot reflect.Value) reflect.Value {
	if len(p.Cmds) != 1 {
		panic(p.String() + " has no meaning here")
	}
	v, args := reflect.Value{}, p.Cmds[0].Args
	if function, ok := args[0].(*parse.IdentifierNode); ok {
		v = f.call(function.Ident, args[1:], dot)
	} else if v = f.value(args[0], dot); len(args) > 1 {
		panic(p.String() + " has no meaning here")
	}
	f.declare(p, v)
	return v
}

func (f filling) declare(p *parse.PipeNode, v reflect.Value) {
	for _, name := range p.Decl {
		f.vars[name.Ident[0]] = v
	}
}

// call evaluates a function. Of and and or, the second value is evaluated where it counts.
func (f filling) call(name string, args []parse.Node, dot reflect.Value) (v reflect.Value) {
	known, ok := builtins[name].(builtin)
	if ok && known.values != len(args) {
		panic(name + " has no meaning here")
	}
	if ok && known.do == nil {
		if a := f.value(args[0], dot); truth(a) == (name == "or") {
			return a
		}
		return f.value(args[1], dot)
	}
	var values []reflect.Value
	for _, arg := range args {
		values = append(values, f.value(arg, dot))
	}
	if ok {
		return reflect.ValueOf(known.do(values))
	}
	return f.apply(f.own[name], values)
}

// order compares strings or whole numbers.
func order(v []reflect.Value) int {
	if v[0].Kind() == reflect.String && v[1].Kind() == reflect.String {
		return strings.Compare(v[0].String(), v[1].String())
	}
	return cmp.Compare(v[0].Int(), v[1].Int())
}

// value evaluates a field, a variable, the dot, a constant, or what is in brackets.
func (f filling) value(node parse.Node, dot reflect.Value) reflect.Value {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return field(dot, node.Ident)
	case *parse.VariableNode:
		return field(f.vars[node.Ident[0]], node.Ident[1:])
	case *parse.StringNode:
		return reflect.ValueOf(node.Text)
	case *parse.NumberNode:
		return reflect.ValueOf(int(node.Int64))
	case *parse.PipeNode:
		return f.pipe(node, dot)
	case *parse.IdentifierNode:
		return f.call(node.Ident, nil, dot)
	}
	panic(node.String() + " has no meaning here")
}

func field(of reflect.Value, path []string) reflect.Value {
	for _, name := range path {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Interface {
			of = of.Elem()
		}
		v := of.FieldByName(name)
		if !v.IsValid() {
			panic(fmt.Sprintf("%s has no field %s", of.Type(), name))
		}
		of = v
	}
	return of
}
