package course

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/strategies"
)

// write puts an exercise into a folder, as lockstep exercise does.
func write(t *testing.T, lock strategies.Info, dir string) {
	t.Helper()
	book := prose.Load("en")
	source := testkit.Must(filepath.Abs("../.."))(t)
	files := testkit.Must(ExerciseFiles(book, lock, source))(t)
	testkit.OK(t, os.Mkdir(dir, 0o755))
	for _, f := range files {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o600))
	}
}

// gotool runs the go tool. It needs no module that this one does not require.
func gotool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestEveryExercise: each compiles, all in one workspace, and has the lesson's
// file but for its package clause.
func TestEveryExercise(t *testing.T) {
	dir := t.TempDir()
	work, packages := "go 1.26.0\n", []string{"vet"}
	for _, lock := range Exercises() {
		write(t, lock, filepath.Join(dir, lock.ID))
		work += fmt.Sprintf("use ./%s\n", lock.ID)
		packages = append(packages, "example.com/"+lock.ID)
		lesson := strategies.Source(lock.File)
		text := testkit.Must(os.ReadFile(filepath.Join(dir, lock.ID, lock.File)))(t)
		if _, want, _ := strings.Cut(lesson, "\n"); string(text) != "package exercise\n"+want {
			t.Errorf("%s is another file than the lesson's:\n%s", lock.ID, text)
		}
	}
	if len(packages) < 11 {
		t.Errorf("%d exercises", len(packages)-1)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "go.work"), []byte(work), 0o600))
	if out, err := gotool(t, dir, packages...); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMending: an exercise is red as it is, and green with the code of the lock
// that answers it.
func TestMending(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "it links four test binaries; the script check in cli tests an exercise as it is handed out")
	t.Parallel()
	for _, test := range []struct{ lock, says string }{
		{"set-del", "VIOLATED foreign-release: A removed lock:stock, which B held"},
		{"reentrant-leak", "VIOLATED leak"},
	} {
		t.Run(test.lock, func(t *testing.T) {
			lock, _ := strategies.Find(test.lock)
			dir := filepath.Join(t.TempDir(), "mine")
			write(t, lock, dir)
			if out, err := gotool(t, dir, "test", "-vet=off"); err == nil || !strings.Contains(out, test.says) || !strings.Contains(out, test.lock+"/"+lock.File+":") {
				t.Errorf("%v\n%s", err, out)
			}
			answer := strategies.Source("set_lua.go")
			name := filepath.Join(dir, lock.File)
			answer = strings.NewReplacer("package strategies", "package exercise", "SetLua", typeOf(t, name)).Replace(answer)
			testkit.OK(t, os.WriteFile(name, []byte(answer), 0o600))
			if out, err := gotool(t, dir, "test", "-vet=off"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// typeOf is the first type that a file declares.
func typeOf(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(name))(t)
	_, rest, ok := strings.Cut(string(text), "\ntype ")
	if !ok {
		t.Fatalf("%s declares no type", name)
	}
	id, _, _ := strings.Cut(rest, " ")
	return id
}

// TestLooksFind: what a lock's text tells to search for in one's own code finds the fault in
// the lock's own file, in each language.
func TestLooksFind(t *testing.T) {
	command := regexp.MustCompile("^`grep -rnE '([^']+)' [.]`")
	for _, language := range prose.Languages() {
		book := prose.Load(language)
		for _, lock := range strategies.Catalogue() {
			look := book.Lock(lock.ID).Look
			source := strategies.Source(lock.File)
			if has := strings.Contains(source, "// BUG(lesson): "); has != (look != "") {
				t.Errorf("%s %s has a fault: %v, and what to look for: %q", language, lock.ID, has, look)
				continue
			}
			if m := command.FindStringSubmatch(look); look != "" && (m == nil || !regexp.MustCompile(m[1]).MatchString(source)) {
				t.Errorf("%s %s: nothing in its own file is found by %q", language, lock.ID, look)
			}
		}
	}
}
