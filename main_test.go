package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"lockstep": main}) }

// TestScripts is what only the program itself can tell: of which modules it is
// made. All else is tested in internal/cli.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "internal/cli/testdata/program"})
}
