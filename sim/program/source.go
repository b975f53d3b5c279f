package program

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"lockstep/strategies"
)

// sources caches the line of a client's code for a program counter; "" for
// machinery.
var sources = struct {
	sync.RWMutex
	known map[uintptr]string
}{known: map[uintptr]string{}}

// workerFile is what a client does with its lock, of which lines are shown too.
const workerFile = "worker.go"

//go:embed worker.go
var worked string

// Source returns the text of a file by its name in events; other is asked for files of no lock of
// the catalogue, unless it is nil.
func Source(file string, other func(string) (string, error)) (string, error) {
	switch dir, name := path.Split(file); {
	case file == "program/"+workerFile:
		return worked, nil
	case dir == "strategies/" || other == nil:
		if text := strategies.Source(name); text != "" {
			return text, nil
		}
		return "", fs.ErrNotExist
	}
	return other(file)
}

// CallerSource returns the line of a client's code that runs, as
// "strategies/set_lua.go:34": the innermost frame that is not machinery.
func CallerSource() string {
	const shallow = 5 // frames; below a sourceHook, the strategy is rarely deeper
	var pcs [64]uintptr
	n := runtime.Callers(3, pcs[:shallow])
	if source := SourceIn(pcs[:n]); source != "" || n < shallow {
		return source
	}
	n = runtime.Callers(3+shallow, pcs[:])
	return SourceIn(pcs[:n])
}

// SourceIn returns the line of a client's code in a stack of runtime.Callers; "" if only a
// library's code is in it.
func SourceIn(pcs []uintptr) string {
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
			return SourceIn(pcs)
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

// libraries are the packages, but for those of the main module, whose code writes to a Conn: the
// clients of a server, whichever they are. A package's internal ones count as that.
var libraries sync.Map

// LearnLibrary notes the package that writes to a Conn, in a stack of runtime.Callers.
func LearnLibrary(pcs []uintptr) {
	frames := runtime.CallersFrames(pcs)
	pkg := ""
	for more := true; more && between(pkg); {
		var f runtime.Frame
		f, more = frames.Next()
		pkg = packageOf(f.Function)
	}
	if machinery(pkg) || strings.HasPrefix(strings.TrimSuffix(pkg, "_test")+"/", mainModule()+"/") {
		return
	}
	sources.Lock()
	defer sources.Unlock()
	libraries.Store(outer(pkg), true)
	clear(sources.known)
}

// outer is a package, or that of which it is an internal one.
func outer(pkg string) string {
	pkg, _, _ = strings.Cut(pkg, "/internal")
	return pkg
}

// mainModule is the path of the module that the program is built of; for tests, that under test.
var mainModule = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
})

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

// sourceOf returns a line of code as events name it; "" for machinery.
func sourceOf(function, file string, line int) string {
	// A closure of go-redis that is inlined into a strategy has the name of the
	// strategy's function, but the file of go-redis.
	pkg, own := packageOf(function), path.Base(file)
	if pkg == "lockstep/sim/program" && own == workerFile || !machinery(pkg) && !strings.Contains(file, "/redis/go-redis/") {
		return fmt.Sprintf("%s/%s:%d", NameOf(pkg), own, line)
	}
	return ""
}

// NameOf returns the name of a package in a line of code: the last element of
// its path that is not a version.
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

// machinery reports whether a package lies between a strategy and the seam.
func machinery(pkg string) bool { return between(pkg) || library(pkg) }

// between reports whether a package is Lockstep's or a standard one.
func between(pkg string) bool {
	switch pkg {
	case "lockstep/sim", "lockstep/sim/program", "lockstep/sim/bubble", "lockstep/sim/bubble/guest", "lockstep/sim/world", "lockstep/locktest", "panic", "":
		return true
	}
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Contains(standard, first)
}

// library reports whether a package is a client of a server. These two have goroutines and delays
// of their own before they write anything.
func library(pkg string) bool {
	_, learned := libraries.Load(outer(pkg))
	return learned || strings.HasPrefix(pkg, "github.com/redis/go-redis/") || pkg == "github.com/go-zookeeper/zk"
}

// standard lists the first path elements of standard packages that call code of
// others or that go-redis calls. A module's own path may lack a dot too.
var standard = []string{
	"bufio", "bytes", "context", "crypto", "errors", "fmt", "internal", "io", "iter", "log", "maps", "math", "net", "os", "reflect",
	"runtime", "slices", "sort", "strings", "sync", "syscall", "testing", "time", "vendor",
}
