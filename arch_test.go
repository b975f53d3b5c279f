package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says which packages of this module, and which of the libraries that
// the architecture is about, a package may import itself.
var allowed = map[string][]string{
	"lockstep":                    {"lockstep/cli"},
	"lockstep/cli":                {"cobra", "go-redis", "charm", "bubbletea", "lockstep/atomicfile", "lockstep/checks", "lockstep/course", "lockstep/exercise", "lockstep/explain", "lockstep/export", "lockstep/message", "lockstep/noquery", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/explore", "lockstep/sim/fuzz", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/program", "lockstep/strategies", "lockstep/tui", "lockstep/tui/pages", "lockstep/tui/proofs", "lockstep/verdict", "lockstep/web"},
	"lockstep/checks":             {"lockstep/locktest", "lockstep/message", "lockstep/sim/program", "lockstep/sim/remote", "lockstep/verdict"},
	"lockstep/exercise":           {"lockstep/message", "lockstep/scenarios/prose", "lockstep/strategies"},
	"lockstep/noquery":            {},
	"lockstep/atomicfile":         {},
	"lockstep/strategies":         {"go-redis"},
	"lockstep/sim/history":        {"lockstep/message"},
	"lockstep/sim":                {"lockstep/message", "lockstep/sim/history"},
	"lockstep/sim/program":        {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/resp", "lockstep/strategies", "go-redis"},
	"lockstep/sim/server":         {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/resp", "miniredis"},
	"lockstep/sim/world":          {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/program", "lockstep/sim/server", "sqlite"},
	"lockstep/sim/live":           {"lockstep/message", "lockstep/sim/resp"},
	"lockstep/sim/resp":           {"lockstep/message"},
	"lockstep/sim/testsize":       {},
	"lockstep/sim/internal/pairs": {},
	"lockstep/sim/model":          {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/internal/pairs", "lockstep/sim/program", "lockstep/sim/server"},
	"lockstep/sim/explore":        {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/internal/pairs", "lockstep/sim/model", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/sim/fuzz":           {"lockstep/message", "lockstep/sim", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/sim/bubble":         {"lockstep/sim", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/resp", "lockstep/strategies", "go-redis"},
	"lockstep/sim/remote":         {"lockstep/message", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/program"},
	"lockstep/verdict":            {"charm", "lockstep/atomicfile", "lockstep/explain", "lockstep/message", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/explore", "lockstep/sim/fuzz", "lockstep/sim/history", "lockstep/sim/program"},
	"lockstep/locktest":           {"lockstep/scenarios", "lockstep/sim/bubble", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/remote", "lockstep/sim/world", "lockstep/strategies", "lockstep/verdict", "go-redis"},
	"lockstep/explain":            {"lockstep/message", "lockstep/scenarios/prose", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/program", "lockstep/sim/world"},
	"lockstep/scenarios":          {"lockstep/atomicfile", "lockstep/explain", "lockstep/message", "lockstep/scenarios/prose", "lockstep/sim", "lockstep/sim/history", "lockstep/sim/live", "lockstep/sim/program", "lockstep/sim/world", "lockstep/strategies", "lockstep/tomlfile"},
	"lockstep/scenarios/prose":    {"lockstep/message", "lockstep/tomlfile"},
	"lockstep/tomlfile":           {"lockstep/message", "toml"},
	"lockstep/course":             {"lockstep/exercise", "lockstep/message", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/history", "lockstep/strategies", "lockstep/tomlfile"},
	"lockstep/message":            {},
	"lockstep/export":             {"charm", "lockstep/course", "lockstep/explain", "lockstep/message", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/history", "lockstep/strategies", "lockstep/tui/pages", "lockstep/tui/render"},
	"lockstep/docs":               {},
	"lockstep/tui":                {"lockstep/message", "lockstep/tui/pages", "lockstep/tui/render", "charm", "bubbletea"},
	"lockstep/tui/pages":          {"lockstep/atomicfile", "lockstep/course", "lockstep/explain", "lockstep/message", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/history", "lockstep/strategies", "lockstep/tui/render", "charm", "go-internal"},
	"lockstep/tui/proofs":         {"lockstep/message", "lockstep/scenarios", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/tui/pages"},
	"lockstep/web":                {"lockstep/atomicfile", "lockstep/course", "lockstep/message"},
	"lockstep/web/engine":         {"lockstep/course", "lockstep/message", "lockstep/scenarios", "lockstep/scenarios/prose", "lockstep/sim/explore", "lockstep/sim/history", "lockstep/strategies", "lockstep/tui/pages", "lockstep/tui/proofs", "lockstep/tui/render", "charm"},
	"lockstep/tui/render":         {"lockstep/message", "lockstep/sim/history", "charm"},

	// For tests only.
	"lockstep/sim/history/judge":       {"lockstep/sim/history"},
	"lockstep/scenarios/prose/chinese": {"lockstep/strategies"},
	"lockstep/sim/simtest":             {"lockstep/sim/history", "lockstep/sim/history/judge", "lockstep/sim/program", "lockstep/sim/world", "lockstep/strategies"},
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
