package main

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed says which packages of this module, and which of the libraries that
// the architecture is about, a package may import itself.
var allowed = map[string][]string{
	"lockstep":                         {"lockstep/internal/cli"},
	"lockstep/strategies":              {"go-redis"},
	"lockstep/sim":                     {"lockstep/internal/lang", "lockstep/sim/history"},
	"lockstep/sim/bubble/guest":        {"go-redis"},
	"lockstep/sim/bubble":              {"go-redis", "lockstep/sim", "lockstep/sim/bubble/guest", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/resp", "lockstep/strategies", "lockstep/sim/zookeeper"},
	"lockstep/sim/explore":             {"lockstep/internal/lang", "lockstep/internal/parallel", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/internal/pairs", "lockstep/sim/model", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/sim/fuzz":                {"lockstep/internal/lang", "lockstep/internal/parallel", "lockstep/sim", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/sim/history":             {"lockstep/internal/lang"},
	"lockstep/sim/internal/pairs":      {},
	"lockstep/sim/live":                {"go-redis", "lockstep/internal/lang", "lockstep/sim/resp", "lockstep/sim/zookeeper"},
	"lockstep/sim/model":               {"lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/internal/pairs", "lockstep/sim/program", "lockstep/sim/server"},
	"lockstep/sim/program":             {"go-redis", "lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/resp", "lockstep/strategies", "lockstep/sim/zookeeper"},
	"lockstep/sim/remote":              {"lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/resp"},
	"lockstep/sim/resp":                {"lockstep/internal/lang"},
	"lockstep/sim/server":              {"miniredis", "lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/resp", "lockstep/sim/zookeeper"},
	"lockstep/sim/zookeeper":           {"lockstep/internal/lang", "lockstep/sim/history"},
	"lockstep/sim/table":               {"sqlite", "lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history"},
	"lockstep/sim/world":               {"lockstep/internal/lang", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/server"},
	"lockstep/scenarios":               {"lockstep/internal/explain", "lockstep/internal/files", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/sim", "lockstep/sim/bubble", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/program", "lockstep/sim/server", "lockstep/sim/world", "lockstep/strategies"},
	"lockstep/tui":                     {"bubbletea", "charm", "lockstep/internal/lang", "lockstep/internal/palette", "lockstep/tui/pages", "lockstep/tui/paint"},
	"lockstep/tui/pages":               {"charm", "lockstep/internal/progress", "lockstep/internal/course", "lockstep/internal/explain", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/strategies", "lockstep/tui/render", "lockstep/internal/diagram", "lockstep/internal/diagram/vector", "lockstep/internal/lesson"},
	"lockstep/tui/paint":               {"charm", "lockstep/internal/palette", "lockstep/tui/render"},
	"lockstep/tui/render":              {"charm", "lockstep/internal/diagram", "lockstep/internal/lesson", "lockstep/internal/prose", "lockstep/sim/explore", "lockstep/sim/history"},
	"lockstep/locktest":                {"go-redis", "lockstep/internal/trial", "lockstep/scenarios", "lockstep/sim", "lockstep/sim/bubble", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/remote", "lockstep/sim/world", "lockstep/strategies"},
	"lockstep/internal/cli":            {"bubbletea", "charm", "cobra", "go-redis", "lockstep/internal/cache", "lockstep/internal/cli/noquery", "lockstep/internal/course", "lockstep/internal/explain", "lockstep/internal/export", "lockstep/internal/files", "lockstep/internal/lang", "lockstep/internal/matrix", "lockstep/internal/progress", "lockstep/internal/prose", "lockstep/internal/queue", "lockstep/internal/carried", "lockstep/internal/trial", "lockstep/internal/web", "lockstep/internal/workshop", "lockstep/scenarios", "lockstep/sim", "lockstep/sim/explore", "lockstep/sim/fuzz", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/program", "lockstep/sim/table", "lockstep/sim/world", "lockstep/strategies", "lockstep/tui", "lockstep/tui/pages", "lockstep/internal/lesson", "lockstep/internal/pieces", "lockstep/internal/trial/adapter"},
	"lockstep/internal/cache":          {"lockstep/internal/lang", "lockstep/scenarios", "lockstep/sim", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/program"},
	"lockstep/internal/cli/noquery":    {},
	"lockstep/internal/course":         {"lockstep/internal/files", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/scenarios", "lockstep/sim/history", "lockstep/strategies"},
	"lockstep/internal/diagram":        {"lockstep/internal/explain", "lockstep/internal/lesson", "lockstep/sim/history"},
	"lockstep/internal/diagram/vector": {"charm", "lockstep/internal/diagram", "lockstep/internal/lesson", "lockstep/internal/palette", "lockstep/internal/prose"},
	"lockstep/internal/explain":        {"lockstep/internal/lang", "lockstep/internal/prose", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/internal/export":         {"lockstep/internal/phrase", "charm", "lockstep/internal/course", "lockstep/internal/diagram", "lockstep/internal/diagram/vector", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/strategies", "lockstep/tui/render", "lockstep/internal/lesson", "lockstep/internal/palette"},
	"lockstep/internal/files":          {"toml", "lockstep/internal/lang"},
	"lockstep/internal/gotool":         {"lockstep/internal/files"},
	"lockstep/internal/lang":           {},
	"lockstep/internal/lesson":         {"lockstep/internal/explain", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/scenarios", "lockstep/sim/history"},
	"lockstep/internal/matrix":         {"charm", "lockstep/internal/lang", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/tui/pages"},
	"lockstep/internal/palette":        {},
	"lockstep/internal/parallel":       {},
	"lockstep/internal/phrase":         {},
	"lockstep/internal/pieces":         {"lockstep/internal/cache", "lockstep/internal/files", "lockstep/internal/lang", "lockstep/internal/parallel", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/sim/fuzz", "lockstep/sim/history"},
	"lockstep/internal/progress":       {"go-internal", "lockstep/internal/course", "lockstep/internal/files", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/scenarios"},
	"lockstep/internal/prose":          {"lockstep/internal/phrase", "lockstep/internal/files", "lockstep/internal/lang"},
	"lockstep/internal/carried":        {"lockstep/internal/cache", "lockstep/internal/files", "lockstep/internal/lang"},
	"lockstep/internal/trial/adapter":  {"lockstep/internal/lang", "lockstep/internal/trial"},
	"lockstep/internal/trial":          {"lockstep/internal/cache", "lockstep/internal/explain", "lockstep/internal/files", "lockstep/internal/gotool", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/internal/carried", "lockstep/scenarios", "lockstep/sim", "lockstep/sim/explore", "lockstep/sim/fuzz", "lockstep/sim/history", "lockstep/sim/model", "lockstep/sim/program", "lockstep/sim/remote", "lockstep/internal/lesson"},
	"lockstep/internal/queue":          {"go-redis", "lockstep/internal/lang", "lockstep/sim/live"},
	"lockstep/internal/web":            {"lockstep/internal/phrase", "lockstep/internal/course", "lockstep/internal/diagram/vector", "lockstep/internal/files", "lockstep/internal/gotool", "lockstep/internal/lang", "lockstep/internal/palette", "lockstep/internal/prose", "lockstep/internal/web/engine", "lockstep/internal/export", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/strategies", "lockstep/tui/pages"},
	"lockstep/internal/workshop":       {"sqlite", "lockstep/internal/course", "lockstep/internal/lang", "lockstep/internal/prose", "lockstep/internal/web", "lockstep/internal/web/engine", "lockstep/scenarios", "lockstep/sim/history", "lockstep/tui/pages"},
	"lockstep/internal/web/engine":     {"lockstep/internal/course", "lockstep/internal/lang", "lockstep/internal/matrix", "lockstep/internal/progress", "lockstep/internal/prose", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/strategies", "lockstep/tui/pages", "lockstep/internal/lesson"},
	"lockstep/docs":                    {},

	// For tests only.
	"lockstep/internal/testkit":         {},
	"lockstep/internal/testkit/chrome":  {},
	"lockstep/internal/testkit/chinese": {"lockstep/strategies"},
	"lockstep/internal/testkit/judge":   {"lockstep/sim/history"},
	"lockstep/internal/testkit/simtest": {"lockstep/internal/testkit/judge", "lockstep/sim", "lockstep/sim/bubble", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/server", "lockstep/sim/world", "lockstep/strategies"},
}

// libraries are the modules that only certain packages may know.
var libraries = map[string]string{
	"github.com/redis/go-redis/":         "go-redis",
	"github.com/alicebob/miniredis/":     "miniredis",
	"github.com/charmbracelet/":          "charm",     // colours and widths of text
	"github.com/charmbracelet/bubbletea": "bubbletea", // a terminal
	"github.com/spf13/":                  "cobra",
	"github.com/rogpeppe/go-internal":    "go-internal",
	"modernc.org/sqlite":                 "sqlite",
	"github.com/pelletier/go-toml":       "toml",
}

func TestWhoMayImportWhom(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		pkg := words[0]
		may, known := allowed[pkg]
		if !known {
			t.Errorf("%s is not in the table; a new package needs a line there", pkg)
			continue
		}
		for _, imported := range words[1:] {
			if name := guarded(imported); name != "" && !slices.Contains(may, name) {
				t.Errorf("%s imports %s", pkg, imported)
			}
			if strings.HasPrefix(imported, "lockstep/") && !slices.Contains(may, imported) {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
		if pkg == "lockstep/strategies" { // a lock that ends the process would pass, with exit code 0
			for _, ends := range []string{"log", "os", "syscall"} {
				if slices.Contains(words[1:], ends) {
					t.Errorf("%s imports %s", pkg, ends)
				}
			}
		}
		if pkg == "lockstep/sim" || pkg == "lockstep/sim/history" {
			for _, imported := range words[1:] {
				if strings.Contains(strings.Split(imported, "/")[0], ".") {
					t.Errorf("%s imports %s, which is not in the standard library", pkg, imported)
				}
			}
		}
	}
}

// guarded is the library that a package is of, by the longest prefix; "" for none.
func guarded(imported string) string {
	longest := ""
	for prefix := range libraries {
		if strings.HasPrefix(imported, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return libraries[longest]
}

// TestNoCycleOfRooms: a room is a folder at the root or in internal/ with all
// below it. No room needs itself by way of others.
func TestNoCycleOfRooms(t *testing.T) {
	needs := map[string]map[string]bool{}
	for pkg, imports := range allowed {
		from := roomOf(pkg)
		if needs[from] == nil {
			needs[from] = map[string]bool{}
		}
		for _, i := range imports {
			if to := roomOf(i); to != "" && to != from {
				needs[from][to] = true
			}
		}
	}
	for room := range needs {
		seen := map[string]bool{}
		var visit func(string)
		visit = func(at string) {
			for next := range needs[at] {
				if !seen[next] {
					seen[next] = true
					visit(next)
				}
			}
		}
		visit(room)
		if seen[room] {
			t.Errorf("%s needs itself, by way of others; all that it needs: %v", room, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// roomOf returns the room of a package of this module, "" for a library.
func roomOf(pkg string) string {
	path, ok := strings.CutPrefix(pkg, "lockstep/")
	if !ok {
		return ""
	}
	parts := strings.Split(path, "/")
	if parts[0] == "internal" {
		return strings.Join(parts[:2], "/")
	}
	return parts[0]
}

// TestNoMethodsByName: nothing looks a method up by a name that the linker does not know.
// It would keep every exported method: 12 MB of 54.
func TestNoMethodsByName(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lockstep")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	names := string(out)
	if !strings.Contains(names, " reflect.Value.Elem\n") {
		t.Fatal("no symbols are listed")
	}
	for _, name := range []string{"reflect.Value.Methods", "text/template.(*Template).Execute"} {
		if strings.Contains(names, " "+name+"\n") {
			t.Errorf("the program links %s; go build -ldflags=-dumpdep says why", name)
		}
	}
}

// TestWhatTheProgramLinks: nothing that only tests need.
func TestWhatTheProgramLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "lockstep/internal/trial") {
		t.Fatalf("no dependencies are listed: %q", deps)
	}
	for _, dep := range deps {
		// A lock on ZooKeeper runs in a bubble of testing/synctest.
		if strings.HasPrefix(dep, "testing/") && dep != "testing/synctest" || strings.HasPrefix(dep, "lockstep/internal/testkit") {
			t.Errorf("the program links %s", dep)
		}
	}
}

// TestWhatALockCompiles: somebody's test of a lock compiles no database, no types of Go and
// no widths of text. With them it took half as long again. go.mod marks the modules that
// are left: TestWhatTheProgramCarries.
func TestWhatALockCompiles(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{else}}{{.ImportPath}}{{end}}", "./locktest").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/redis/go-redis/v9") {
		t.Fatalf("no dependencies are listed: %q", deps)
	}
	for _, dep := range deps {
		if slices.Contains([]string{"go/types", "go/format", "database/sql", "net/http", "html/template", "modernc.org/sqlite", "github.com/charmbracelet/x/ansi"}, dep) {
			t.Errorf("a test of a lock compiles %s", dep)
		}
	}
}
