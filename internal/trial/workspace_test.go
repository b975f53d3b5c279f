package trial

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"lockstep/internal/cache"
	"lockstep/internal/carried"
	"lockstep/internal/testkit"
)

// A tree of files, by their names.
type tree map[string]string

func (files tree) write(t *testing.T, dir string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		testkit.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// TestWorkspace: tests that use Lockstep compile in a module that does not require it, and
// no file of the user's changes. What the user's files say stays in force: the version of Go,
// a replacement, a workspace, a Lockstep of one's own.
func TestWorkspace(t *testing.T) {
	const own = "package own\n\nimport \"example.com/other\"\n\n// With Go 1.21 the functions share one variable.\nfunc last() (n int) {\n\tvar all []func()\n\tfor i := range []int{1, 2, 3} {\n\t\tall = append(all, func() { n = i })\n\t}\n\tall[0]()\n\treturn n + other.Zero\n}\n"
	const test = "package own\n\nimport (\n\t\"testing\"\n\n\t\"lockstep/locktest\"\n)\n\nfunc TestOwn(t *testing.T) { println(last(), locktest.From) }\n"
	other := tree{"other/go.mod": "module example.com/other\n\ngo 1.21\n", "other/other.go": "package other\n\nconst Zero = 0\n"}
	mine := tree{"mine/go.mod": "module lockstep\n\ngo 1.21\n", "mine/locktest/a.go": "package locktest\n\nconst From = \"mine\"\n"}
	source := fstest.MapFS{"go.mod": {Data: []byte("module lockstep\n\ngo 1.26.0\n")}, "locktest/a.go": {Data: []byte("package locktest\n\nconst From = \"the program\"\n")}}
	for name, test := range map[string]struct {
		files tree
		want  string
	}{
		"a module": {tree{
			"own/go.mod": "module example.com/own\n\ngo 1.21\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ../other\n",
			"own/own.go": own, "own/own_test.go": test, "own/go.sum": "",
		}, "2 the program"},
		"a workspace": {tree{
			"go.work": "go 1.21\n\nuse ./own\n\nreplace example.com/other v0.0.0 => ./other\n", "own/go.mod": "module example.com/own\n\ngo 1.21\n\nrequire example.com/other v0.0.0\n",
			"own/own.go": own, "own/own_test.go": test,
		}, "2 the program"},
		"a Lockstep of one's own": {tree{
			"own/go.mod": "module example.com/own\n\ngo 1.22\n\nrequire (\n\texample.com/other v0.0.0\n\tlockstep v0.0.0\n)\n\nreplace (\n\texample.com/other => ../other\n\tlockstep => ../mine\n)\n",
			"own/own.go": own, "own/own_test.go": test,
		}, "0 mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { carried.Tree = nil })
			carried.Tree = source
			t.Setenv(cache.Env, t.TempDir())
			t.Setenv("GOFLAGS", "-mod=mod") // which a workspace refuses
			t.Setenv("GOPROXY", "off")
			dir := t.TempDir()
			other.write(t, dir)
			mine.write(t, dir)
			test.files.write(t, dir)
			p := testkit.Must(Find(t.Context(), filepath.Join(dir, "own")))(t)
			program := filepath.Join(dir, "own.test")
			testkit.OK(t, p.Build(t.Context(), program))
			says := said(t, program)
			if !strings.Contains(says, test.want) {
				t.Errorf("it says %q, want %q", says, test.want)
			}
			testkit.OK(t, os.Remove(program))
			before := len(other) + len(mine) + len(test.files)
			for name, want := range test.files {
				if text := testkit.Must(os.ReadFile(filepath.Join(dir, name)))(t); string(text) != want {
					t.Errorf("%s is now\n%s", name, text)
				}
			}
			after := 0
			testkit.OK(t, filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
				if !d.IsDir() {
					after++
				}
				return err
			}))
			if after != before {
				t.Errorf("%d files, and %d before", after, before)
			}
			code := testkit.Must(p.Code(t.Context()))(t)
			for _, l := range code.listed {
				if l.ImportPath == "lockstep/locktest" && l.own() {
					t.Error("Lockstep is taken for the module under test")
				}
			}
		})
	}
	if mod := testkit.Must(os.ReadFile("../../go.mod"))(t); !strings.Contains(string(mod), "\ngo "+ownGo+"\n") {
		t.Errorf("go.mod does not say %s", ownGo)
	}
}

// said is what a test binary prints.
func said(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command(program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
