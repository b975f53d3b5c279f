package program

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// sources remembers, for a program counter, which line of a client's code it
// belongs to; "" for go-redis, the standard library and the world itself.
var sources = struct {
	sync.RWMutex
	known map[uintptr]string
}{known: map[uintptr]string{}}

// callerSource names the line of the strategy that issued the current
// command, as "strategies/set_lua.go:34": the innermost frame of the stack
// that is not machinery.
func callerSource() string {
	const usual = 5 // frames: the strategy is rarely deeper below a sourceHook
	var pcs [64]uintptr
	n := runtime.Callers(3, pcs[:usual])
	if source := firstSource(pcs[:n]); source != "" || n < usual {
		return source
	}
	n = runtime.Callers(3+usual, pcs[:])
	return firstSource(pcs[:n])
}

// CallerSource names the line of a client's code that is at work.
func CallerSource() string { return callerSource() }

func firstSource(pcs []uintptr) string {
	sources.RLock()
	for _, pc := range pcs {
		source, known := sources.known[pc]
		if source != "" {
			sources.RUnlock()
			return source
		}
		if !known {
			sources.RUnlock()
			learnSources(pcs)
			return firstSource(pcs)
		}
	}
	sources.RUnlock()
	return ""
}

func learnSources(pcs []uintptr) {
	sources.Lock()
	defer sources.Unlock()
	for _, pc := range pcs {
		sources.known[pc] = lookUp(pc)
	}
}

func lookUp(pc uintptr) string {
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := frames.Next()
		if source := sourceOf(f.Function, f.File, f.Line); source != "" {
			return source
		}
		if !more {
			return ""
		}
	}
}

// sourceOf writes a line of code as an event names it; "" for machinery.
func sourceOf(function, file string, line int) string {
	// A closure of go-redis that is inlined into a strategy is named after
	// the strategy's function; its file tells.
	if pkg := packageOf(function); !machinery(pkg) && !strings.Contains(file, "/redis/go-redis/") {
		return fmt.Sprintf("%s/%s:%d", NameOf(pkg), path.Base(file), line)
	}
	return ""
}

// NameOf is what a package is called where a line of code is named: the last word
// of its path that is no version.
func NameOf(pkg string) string {
	name := path.Base(pkg)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		return path.Base(path.Dir(pkg))
	}
	return name
}

func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	if dot := strings.IndexByte(function[slash:], '.'); dot >= 0 {
		return function[:slash+dot]
	}
	return function
}

// machinery says whether a package lies between a strategy and the seam.
func machinery(pkg string) bool {
	switch pkg {
	case "lockstep/sim", "lockstep/sim/program", "lockstep/sim/bubble", "lockstep/sim/world", "lockstep/locktest":
		return true
	}
	first, _, _ := strings.Cut(pkg, "/")
	return strings.HasPrefix(pkg, "github.com/redis/go-redis/") || slices.Contains(standard, first)
}

// standard are the first elements of the packages of the standard library that call
// code of others or are called by go-redis. A module's own path need not have a dot.
var standard = []string{
	"bufio", "bytes", "context", "crypto", "errors", "fmt", "internal", "io", "iter", "log", "maps", "math", "net", "os", "reflect",
	"runtime", "slices", "sort", "strings", "sync", "syscall", "testing", "time", "vendor",
}
