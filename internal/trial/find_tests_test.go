package trial

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/internal/testkit"
)

func TestTestsIn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": `package a
import ("testing"; "lockstep/locktest")
func TestDirect(t *testing.T) { locktest.Check(t, nil) }
func TestTable(t *testing.T) { t.Run("x", func(t *testing.T) { through(t) }) }
func TestNeither(t *testing.T) { helper(t) }
func through(t *testing.T) { suite{}.check(t) }
func helper(t *testing.T) { helper(t) }
func Testlower(t *testing.T) { locktest.Check(t, nil) }
func TestAndMore(t *testing.T, n int) {}
func Test(t *testing.T) { locktest.Check(t, nil) }
`,
		"b_test.go": `package a
import ("testing"; lt "lockstep/locktest")
type suite struct{}
func (suite) check(t *testing.T) { lt.Check(t, nil) }
func (suite) TestMethod(t *testing.T) { lt.Check(t, nil) }
`,
		"c_test.go": `package a
import ("testing"; "example.com/locktest")
func TestOther(t *testing.T) { locktest.Check(t, nil) }
`,
	} {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	files := []string{"a_test.go", "b_test.go", "c_test.go"}
	found, err := testsIn(dir, files)
	if want := []string{"TestDirect", "TestTable", "Test"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("found %q, want %q; %v", found, want, err)
	}
	if _, err := testsIn(dir, []string{"d_test.go"}); err == nil {
		t.Error("a file that is not there can be read")
	}
}
