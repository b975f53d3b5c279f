package cache

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestProgram: the running program is known by what the go command says of it, and GODEBUG is
// part of its code.
func TestProgram(t *testing.T) {
	a, ok := executable()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("go", "tool", "buildid", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	if id, _, _ := strings.Cut(a, " "); !ok || id != strings.TrimSpace(string(said)) {
		t.Errorf("%q, and go tool buildid says %q", id, said)
	}
	t.Setenv("GODEBUG", "asynctimerchan=1")
	if b, ok := executable(); !ok || a == b {
		t.Errorf("%q whatever GODEBUG says", a)
	}
}

// TestIdentify: a program is known by a build ID only where the go command made it; otherwise
// each of its bytes counts.
func TestIdentify(t *testing.T) {
	const id = "abcdefghijklmnopqrst/ABCDEFGHIJKLMNOPQRST/01234567890123456789/-_-_-_-_-_-_-_-_-_-_"
	far := strings.Repeat("\x90", headLength)
	for _, tt := range []struct {
		name, program string
		byID          bool
	}{
		{"a note", "\x7fELF\x04\x00\x00\x00\x53\x00\x00\x00\x04\x00\x00\x00Go\x00\x00" + id + "\x00", true},
		{"before the code", "MZ\xff Go build ID: \"" + id + "\"\n \xff", true},
		{"behind a note without one", "Go\x00\x00\xff Go build ID: \"" + id + "\"\n \xff", true},
		{"none", "\x7fELF", false},
		{"empty", "", false},
		{"set by hand", "\xff Go build ID: \"redacted\"\n \xff" + strings.Repeat("\x90", 99), false},
		{"three parts", "\xff Go build ID: \"" + strings.TrimSuffix(id, "/-_-_-_-_-_-_-_-_-_-_") + "\"\n \xff" + strings.Repeat("\x90", 99), false},
		{"other lengths", "\xff Go build ID: \"" + strings.Replace(id, "t/A", "/tA", 1) + "\"\n \xff", false},
		{"a longer one", "\xff Go build ID: \"" + id + "x\"\n \xff", false},
		{"cut off", far[:headLength-40] + "Go\x00\x00" + id + "\x00", false},
		{"too far", far + "Go\x00\x00" + id + "\x00", false},
	} {
		got, err := identify(strings.NewReader(tt.program + far + far))
		if err != nil || (got == id) != tt.byID {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
		other, err := identify(strings.NewReader(tt.program + far + far + "x"))
		if err != nil || (other == got) != tt.byID {
			t.Errorf("%s: of another program %q, %v", tt.name, other, err)
		}
	}
}
