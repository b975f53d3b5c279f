package course

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/strategies"
)

// Exercises returns the locks that have an exercise: those with a deliberate
// mistake.
func Exercises() (list []strategies.Info) {
	for _, lock := range strategies.Catalogue() {
		if strings.Contains(strategies.Source(lock.File), "// BUG(lesson): ") {
			list = append(list, lock)
		}
	}
	return list
}

// ExerciseFiles returns the files of the exercise on a lock: a module with the
// lock and a failing test. source is the folder with Lockstep's source.
func ExerciseFiles(b *prose.Book, lock strategies.Info, source string) ([]File, error) {
	modules, err := modules(lock, source)
	if err != nil {
		return nil, err
	}
	code, err := code(lock)
	if err != nil {
		return nil, err
	}
	test, err := test(lock)
	if err != nil {
		return nil, err
	}
	return slices.Concat(modules, code, []File{{"lock.go", terms}, {testFile(lock), test}, {"README.md", readme(b, lock)}}), nil
}

// terms declares the names of package strategies that the catalogue's locks use.
const terms = `package exercise

import "lockstep/strategies"

type (
	Env   = strategies.Env
	Grant = strategies.Grant
	Lock  = strategies.Lock
)

var (
	ErrNotAcquired = strategies.ErrNotAcquired
	ErrLost        = strategies.ErrLost
	ErrUnknown     = strategies.ErrUnknown
	outcome        = strategies.Outcome
)
`

// head begins Lockstep's go.mod.
const head = "module lockstep\n"

// IsSource reports whether a folder has Lockstep's source.
func IsSource(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), head)
}

// modules returns go.mod and go.sum. They require Lockstep, and the same versions
// as Lockstep does, so that nothing has to be downloaded.
func modules(lock strategies.Info, source string) ([]File, error) {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return nil, err
	}
	own := fmt.Sprintf("module example.com/%s\n%s\nrequire lockstep v0.0.0\n\nreplace lockstep => %s\n",
		lock.ID, strings.TrimPrefix(string(mod), head), strconv.Quote(source))
	return []File{{"go.mod", own}, {"go.sum", string(sum)}}, nil
}

// code returns the lock's file and the files of other locks that it depends on.
func code(lock strategies.Info) (files []File, err error) {
	names := []string{lock.File}
	for i := 0; i < len(names); i++ {
		text, file, err := parsed(names[i])
		if err != nil {
			return nil, err
		}
		for _, id := range file.Unresolved {
			if name := declares(id.Name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		files = append(files, File{names[i], strings.Replace(text, "package strategies\n", "package exercise\n", 1)})
	}
	return files, nil
}

// parsed is a file of package strategies.
func parsed(name string) (text string, file *ast.File, err error) {
	text = strategies.Source(name)
	file, err = parser.ParseFile(token.NewFileSet(), name, text, 0)
	return text, file, err
}

// declares returns the file of locks that declares a name; "" if none does.
func declares(name string) string {
	names := []string{strategies.OnZooKeeper}
	for _, lock := range strategies.Catalogue() {
		names = append(names, lock.File)
	}
	for _, of := range names {
		if _, file, err := parsed(of); err == nil && file.Scope.Lookup(name) != nil {
			return of
		}
	}
	return ""
}

func testFile(lock strategies.Info) string { return strings.TrimSuffix(lock.File, ".go") + "_test.go" }

// test returns a test that checks the lock.
func test(lock strategies.Info) (string, error) {
	text, file, err := parsed("catalogue.go")
	if err != nil {
		return "", err
	}
	made := ""
	ast.Inspect(file, func(n ast.Node) bool {
		row, ok := n.(*ast.CallExpr)
		if !ok || len(row.Args) == 0 {
			return true
		}
		if id, ok := row.Args[0].(*ast.BasicLit); ok && id.Value == strconv.Quote(lock.ID) {
			constructor := row.Args[len(row.Args)-1]
			made = text[constructor.Pos()-file.FileStart : constructor.End()-file.FileStart]
		}
		return true
	})
	options := ""
	switch {
	case lock.ZooKeeper:
		options = `, locktest.ZooKeeper("/lock")`
	case lock.Nodes > 1:
		options = ", locktest.Nodes(3)" // three also have a majority, and are faster to explore than five
	}
	return fmt.Sprintf(`package exercise

import (
	"testing"

	"lockstep/locktest"
)

func TestLock(t *testing.T) {
	locktest.Check(t, locktest.Strategy(%s)%s)
}
`, made, options), nil
}

// readme returns the instructions.
func readme(b *prose.Book, lock strategies.Info) string {
	card := b.Lock(lock.ID)
	var lines []string
	add := func(m lang.Message) { lines = append(lines, m.In(b.Language()), "") }
	add(lang.New("# Fix %s: %s", lock.ID, card.Name))
	lines = append(lines, b.Pair(b.Text("claims"), card.Claims), "", b.Pair(b.Text("breaks"), card.Breaks), "")
	add(lang.New("`%s` is the file that the course shows; `// BUG(lesson)` marks what is wrong in it.", lock.File))
	add(lang.New("`go test` tries every schedule within bounds and shows the shortest that breaks the lock. What it finds is kept below `testdata` and played first the next time. You have fixed the lock when no schedule breaks it."))
	add(lang.New("`lockstep check --watch` does so at each save, and shows that schedule in the walkthrough."))
	add(lang.New("The test already allows the violations that no lease can exclude. To allow more, add a `locktest.Allow` with the reason to the call in `%s`.", testFile(lock)))
	add(lang.New("`lockstep show %s` is the answer of the course.", lock.Fix))
	return strings.Join(lines, "\n")
}
