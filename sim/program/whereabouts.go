package program

import (
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// maxStacks bounds the memory for the stacks of all goroutines.
const maxStacks = 16 << 20

// whereabouts returns the state of a strand's goroutine and its innermost line
// that is not machinery. Both are "" if the goroutine is not found.
func whereabouts(t *strand) (state, place string) {
	// A goroutine has no name, but Go prints the arguments of its functions.
	mark := fmt.Sprintf(".(*strand).enter(%p)\n", t)
	for stack := range strings.SplitSeq(Stacks(), "\n\n") {
		if inside, _, found := strings.Cut(stack, mark); found {
			return Whereabouts(inside)
		}
	}
	return "", ""
}

// Stacks returns the printed stacks of all goroutines.
func Stacks() string {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	n := runtime.Stack(*buffer, true)
	for n == len(*buffer) && n < maxStacks {
		*buffer = make([]byte, 4*n)
		n = runtime.Stack(*buffer, true)
	}
	return string((*buffer)[:n])
}

// buffers are for stacks: each request of a library's goroutine needs one.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// Whereabouts reads a goroutine's printed stack. It returns the state in Go's
// words, and the line of a client's code; "" if there is none.
func Whereabouts(stack string) (state, place string) { return stateOf(stack), innermost(stack) }

// stateOf parses "goroutine 7 [chan receive, 2 minutes]:".
func stateOf(stack string) string {
	_, rest, _ := strings.Cut(stack, "[")
	state, _, _ := strings.Cut(rest, "]")
	state, _, _ = strings.Cut(state, ", ")
	if state == "runnable" {
		return "running" // all goroutines but this one are stopped for the trace
	}
	return state
}

// innermost returns the first line of a printed stack that is not machinery, or
// its function: an empty loop has no line, and Go prints line 1.
func innermost(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		function, _ := cutLast(strings.TrimPrefix(lines[i], "created by "), "(")
		file, rest := cutLast(strings.TrimSpace(lines[i+1]), ":")
		number, _, _ := strings.Cut(rest, " ")
		line, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if source := sourceOf(function, file, line); source != "" {
			if line == 1 {
				return path.Base(function)
			}
			return source
		}
	}
	return ""
}

func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return s, ""
}
