package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// Builtin returns the code of the locks that come with Lockstep, and of all that
// judges them: the running program. It is read once.
var Builtin = sync.OnceValues(executable)

// executable identifies the program that runs, and what of the environment changes what
// its code does; false if it cannot be read.
func executable() (string, bool) {
	name := "/proc/self/exe" // also after the file has been replaced
	if _, err := os.Stat(name); err != nil {
		name, _ = os.Executable()
	}
	id, ok := Identify(name)
	return id + " GODEBUG=" + os.Getenv("GODEBUG"), ok
}

// Identify identifies a program by its file; false if that cannot be read.
func Identify(file string) (string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	id, err := identify(f)
	return id, err == nil
}

// identify returns what no other program has: the build ID that the go command gave it,
// whose last part is a hash of the linked file. Without one of that form, since it was
// set by hand or stands elsewhere, it is the hash of all of the file, which takes twice as
// long as the start of the program.
func identify(program io.Reader) (string, error) {
	head := make([]byte, headLength)
	n, err := io.ReadFull(program, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	if id := buildID(head[:n]); id != "" {
		return id, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.MultiReader(bytes.NewReader(head[:n]), program)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// headLength is how much of a program the go command itself searches for a build ID; see
// cmd/internal/buildid.
const headLength = 32 << 10

// buildID returns the build ID in the beginning of a program, where the linker writes it
// into a note of ELF, or before the code; "" if there is none that the go command has made.
// Such a one is four hashes: of what went into the program, of what went into its main
// package, and of both results; see cmd/go/internal/work/buildid.go.
func buildID(head []byte) string {
	const parts, length = 4, 20
	for _, mark := range []string{"Go\x00\x00", "\xff Go build ID: \""} {
		_, after, _ := bytes.Cut(head, []byte(mark))
		if len(after) < parts*(length+1) {
			continue
		}
		id, end := string(after[:parts*(length+1)-1]), after[parts*(length+1)-1]
		ids := strings.Split(id, "/")
		if len(ids) == parts && !slices.ContainsFunc(ids, func(part string) bool { return len(part) != length }) && (end == 0 || end == '"') {
			return id
		}
	}
	return ""
}
