package progress

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/testkit"
)

// nobody is a user for whom permissions count.
const nobody = 65534

// asNobody does something as somebody for whom permissions count. A lock is
// taken by another strand, for which a superuser's rights count.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // and never unlocked: the thread ends with the test
		if err := syscall.Setfsuid(nobody); err != nil {
			t.Skip(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	do()
}

// TestForbiddenProgress: neither a file that may not be read nor one that may
// not be written is replaced, though the folder would allow it, and nothing is
// written to a folder that does not.
func TestForbiddenProgress(t *testing.T) {
	const text = `{"version":1,"last":"setnx"}`
	for name, modes := range map[string]struct{ dir, file os.FileMode }{
		"unreadable": {0o755, 0}, "read-only": {0o755, 0o444}, "in a read-only folder": {0o555, 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(filepath.Join(t.TempDir(), "lockstep"))
			write(t, s.path(), text)
			write(t, filepath.Join(s.dir, lockFile), "")
			for path, mode := range map[string]os.FileMode{
				filepath.Dir(filepath.Dir(s.dir)): 0o755, filepath.Dir(s.dir): 0o755, s.path(): modes.file, s.dir: modes.dir,
			} {
				testkit.OK(t, os.Chmod(path, mode))
				if os.Geteuid() == 0 {
					testkit.OK(t, os.Chown(path, nobody, nobody))
				}
			}
			defer func() { _ = os.Chmod(s.dir, 0o755) }()
			asNobody(t, func() {
				if _, _, err := s.Load(); (err != nil) != (modes.file == 0) {
					t.Errorf("load: %v", err)
				}
				s.add(some("set-del"))
				if err := s.Save(); err == nil || !strings.Contains(err.Error(), s.path()) {
					t.Errorf("save: %v", err)
				}
			})
			_ = os.Chmod(s.path(), 0o644) // to look at it
			wantFile(t, s.path(), text)
			wantEntries(t, s.dir, progressFile, lockFile)
		})
	}
}
