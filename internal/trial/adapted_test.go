package trial

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestAdapted: the mutexes of sync are replaced, each run has its own variables, and all
// else is as it was, on the same lines.
func TestAdapted(t *testing.T) {
	const guest = "; import lockstepguest \"lockstep/sim/bubble/guest\""
	for name, test := range map[string]struct{ from, want string }{
		"a mutex in a field": {
			"package p\n\nimport \"sync\"\n\ntype T struct{ mu sync.Mutex }\n",
			"package p" + guest + "\n\nimport \"sync\"\n\ntype T struct{ mu lockstepguest.Mutex }\n\nvar _ sync.Locker\n",
		},
		"embedded, by another name": {
			"package p // says p\nimport s \"sync\"\ntype T struct{ *s.RWMutex; s.Once }\n",
			"package p" + guest + " // says p\nimport s \"sync\"\ntype T struct{ *lockstepguest.RWMutex; s.Once }\n\nvar _ s.Locker\n",
		},
		"a variable that is called sync": {
			"package p\nimport \"sync\"\nfunc f(mu *sync.Mutex) int { sync := struct{ Mutex int }{}; return sync.Mutex }\n",
			"package p" + guest + "\nimport \"sync\"\nfunc f(mu *lockstepguest.Mutex) int { sync := struct{ Mutex int }{}; return sync.Mutex }\n\nvar _ sync.Locker\n",
		},
		"variables": {
			"package p\nvar (\n\tn int\n\ta, b = 1, map[string]int{\n\t\t\"x\": 1,\n\t}\n\t_ = n\n\tx, y = f()\n)\n",
			"package p" + guest + "\nvar (\n\tn int\n\ta, b = 1, map[string]int{\n\t\t\"x\": 1,\n\t}\n\t_ = n\n\tx, y = f()\n)\n\n" +
				"var _ = lockstepguest.Own(&n, \"m\")\nvar _ = lockstepguest.Own(&a, \"m\")\nvar _ = lockstepguest.Own(&b, \"m\")\n" +
				"var _ = lockstepguest.Own(&x, \"m\")\nvar _ = lockstepguest.Own(&y, \"m\")\n",
		},
		"set by the go tool":   {"package p\nimport _ \"embed\"\n//go:embed x\nvar text string\nvar (\n\t//go:embed y\n\tmore string\n)\n", ""},
		"neither":              {"package p\nimport \"sync\"\nconst n = 1\nfunc f() { var once sync.Once; once.Do(f) }\n", ""},
		"another package sync": {"package p\nimport \"other/sync\"\nfunc f(*sync.Mutex) {}\n", ""},
		"no code":              {"packag p", ""},
	} {
		if got := string(adapted([]byte(test.from), "m")); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// TestBuildAdapted: a package of several files, which is listed twice as its tests belong
// to it, is compiled.
func TestBuildAdapted(t *testing.T) {
	dir := t.TempDir()
	root := testkit.Must(filepath.Abs("../.."))(t)
	put(t, filepath.Join(dir, "go.mod"), "module example.com/own\n\ngo 1.26\n\nrequire lockstep v0.0.0\n\nreplace lockstep => "+root+"\n")
	t.Setenv("GOFLAGS", "-mod=mod") // it lists no module that Lockstep needs
	sums := testkit.Must(os.ReadFile(filepath.Join(root, "go.sum")))(t)
	put(t, filepath.Join(dir, "go.sum"), string(sums))
	put(t, filepath.Join(dir, "one.go"), "package own\n\nimport \"sync\"\n\nvar one sync.Mutex\n")
	put(t, filepath.Join(dir, "two.go"), "package own\n\nvar two = map[string]int{}\n")
	put(t, filepath.Join(dir, "own_test.go"), "package own\n\nimport \"testing\"\n\nvar three = 3\n\nfunc TestOwn(t *testing.T) { one.Lock(); two[\"x\"] = three }\n")
	p := testkit.Must(Find(t.Context(), dir))(t)
	if err := p.BuildAdapted(t.Context(), filepath.Join(dir, "own.test"), t.TempDir()); err != nil {
		t.Error(err)
	}
}

// FuzzAdapted: what is adapted is code as before, with the same lines up to its end.
func FuzzAdapted(f *testing.F) {
	f.Add([]byte("package p\nimport \"sync\"\nvar mu sync.Mutex\n"))
	f.Add([]byte("package p; import s \"sync\"; func (t *T) f(m map[string]*s.RWMutex) {}"))
	f.Add([]byte("package p\nvar a, b = map[int]func(){1: func() {}}, 2 // two"))
	f.Fuzz(func(t *testing.T, text []byte) {
		changed := adapted(text, "m")
		if changed == nil {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", changed, 0); err != nil {
			t.Errorf("%v in\n%s", err, changed)
		}
		if was, is := bytes.Count(text, []byte("\n")), bytes.Count(changed, []byte("\n")); is < was+2 {
			t.Errorf("%d lines, and %d before:\n%s", is, was, changed)
		}
		if strings.Count(string(changed), guestName) < 2 {
			t.Errorf("nothing is adapted:\n%s", changed)
		}
	})
}
