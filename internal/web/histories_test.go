package web

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// TestHistories: every story happens as WebAssembly as it does here, to the byte.
func TestHistories(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "it compiles every story's player twice; scenarios plays the stories natively")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node: Debian's package nodejs has it")
	}
	dir := t.TempDir()
	program := func(name string, env ...string) string {
		file := filepath.Join(dir, name)
		run(t, env, "go", "build", "-o", file, "./testdata/histories")
		return file
	}
	root := testkit.Must(goCommand(t.Context(), ".", "env", "GOROOT"))(t)
	here := run(t, nil, program("here"))
	there := run(t, nil, node, "--stack-size=8192", filepath.Join(root, "lib", "wasm", "wasm_exec_node.js"), program("there.wasm", "GOOS=js", "GOARCH=wasm"))
	stories := scenarios.Stories()
	for _, s := range stories {
		if !bytes.Contains(here, []byte(s.Name+" ls1.")) {
			t.Errorf("%s was not played", s.Name)
		}
	}
	if !bytes.Equal(here, there) {
		for i, line := range bytes.Split(here, []byte("\n")) {
			if other := bytes.Split(there, []byte("\n")); i >= len(other) || !bytes.Equal(line, other[i]) {
				t.Fatalf("they differ from line %d on:\n%s", i+1, line)
			}
		}
		t.Fatal("there is more as WebAssembly")
	}
	t.Logf("%d stories, %d bytes", len(stories), len(here))
}

func run(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	var says bytes.Buffer
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, says.String())
	}
	return out
}
