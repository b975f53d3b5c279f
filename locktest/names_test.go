package locktest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestNamesOfConstants: each constant is called as its id is, and none is missing.
func TestNamesOfConstants(t *testing.T) {
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "names.go", nil, 0))(t)
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				constants = append(constants, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
		return true
	})
	var ids []string
	for _, h := range explore.Hazards() {
		ids = append(ids, h.ID)
	}
	ids = append(ids, history.Invariants()...)
	for i, id := range ids {
		if want := strings.ReplaceAll(id, "-", ""); i >= len(constants) || strings.ToLower(constants[i]) != want {
			t.Fatalf("the constants are %q, the ids %q", constants, ids)
		}
	}
	if len(constants) != len(ids) {
		t.Errorf("%d constants for %d ids", len(constants), len(ids))
	}
	if Overrun.String() != "overrun" || Hazard(99).String() != "Hazard(99)" || Leak.String() != "leak" || Invariant(-1).String() != "Invariant(-1)" {
		t.Error("an id is wrong")
	}
}

// TestNamed: no two clients have the same name, whatever a story calls them; those of
// a Check begin with each other's.
func TestNamed(t *testing.T) {
	for id, want := range map[string]string{"A": "A", "B": "A:B", "D": "A:B:C:D", "AA": "AA", "Worker1": "Worker1", "Worker2": "Worker2"} {
		if got := named(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
