package files

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// places finds the offset of each value in a valid text. Only the library's
// unstable package knows offsets; go.mod pins its version.
func places(text []byte) map[string]int {
	w := walker{places: map[string]int{}, tables: map[string]int{}}
	w.p.Reset(text)
	prefix := ""
	for w.p.NextExpression() {
		e := w.p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			names, at := keys(e)
			prefix = w.resolve(names, e.Kind == unstable.ArrayTable)
			w.note(prefix, at)
		case unstable.KeyValue:
			w.pair(prefix, e)
		}
	}
	return w.places
}

// Deeper values have no place: the paths of thousands of nested tables would
// take the square of the file's size.
const (
	maxDepth = 20
	maxPath  = 1000
)

// maxKeys bounds the keys and tables of a file: the library compares each with
// its siblings.
const maxKeys = 4000

// tooMany is the offset of the first key beyond the bound; ok is false if there
// is none.
func tooMany(text []byte) (at int, ok bool) {
	if bytes.Count(text, []byte("="))+bytes.Count(text, []byte("[")) <= maxKeys {
		return 0, false // each has one of these
	}
	var p unstable.Parser
	p.Reset(text)
	left := maxKeys
	for p.NextExpression() {
		e := p.Expression()
		if left -= keysIn(e); left < 0 {
			_, at = keys(e)
			return at, true
		}
	}
	return 0, false
}

// keysIn counts a key or a table, and the keys of inline tables in it.
func keysIn(e *unstable.Node) int {
	n := 0
	//nolint:exhaustive // what has keys
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		return 1
	case unstable.KeyValue:
		return 1 + keysIn(e.Value())
	case unstable.Array, unstable.InlineTable:
		for it := e.Children(); it.Next(); {
			n += keysIn(it.Node())
		}
	}
	return n
}

type walker struct {
	p      unstable.Parser
	places map[string]int
	tables map[string]int // how many tables an array of them has so far, by its path
}

func (w *walker) note(path string, at int) {
	if _, known := w.places[path]; !known {
		w.places[path] = at
	}
}

// resolve is the path of a table's header; an array of tables means its latest
// one.
func (w *walker) resolve(names []string, another bool) string {
	path := ""
	for i, name := range names {
		path = join(path, name)
		if another && i == len(names)-1 {
			w.tables[path]++
		}
		if n := w.tables[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
	}
	return path
}

// pair notes a key with its value, and what is in it.
func (w *walker) pair(prefix string, e *unstable.Node) {
	names, at := keys(e)
	path := prefix
	for _, name := range names {
		path = join(path, name)
	}
	w.value(path, e.Value(), at)
}

func (w *walker) value(path string, v *unstable.Node, at int) {
	if v.Raw.Length > 0 { // an array has no place of its own
		at = int(v.Raw.Offset)
	}
	w.note(path, at)
	if len(path) > maxPath {
		return
	}
	n := 0
	for it := v.Children(); it.Next(); {
		switch child := it.Node(); {
		case v.Kind == unstable.InlineTable:
			w.pair(path, child)
		case v.Kind == unstable.Array && child.Kind != unstable.Comment:
			w.value(fmt.Sprintf("%s[%d]", path, n), child, at)
			n++
		}
	}
}

// keys returns the parts of a key and its offset.
func keys(e *unstable.Node) (names []string, at int) {
	at = -1
	for it := e.Key(); it.Next(); {
		if at < 0 {
			at = int(it.Node().Raw.Offset)
		}
		names = append(names, string(it.Node().Data))
	}
	return names[:min(len(names), maxDepth)], at
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
