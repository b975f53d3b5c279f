package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Read is what code has looked at, and what there was: an entry with one holds while
// that is the same.
type Read struct {
	Names []string `json:",omitempty"` // as remote.Reads has them
	State string
}

// ofKernel are where the kernel tells of processes and machines, which is never the same
// twice. Libraries ask it by themselves for the load.
var ofKernel = regexp.MustCompile(`^/(proc|sys)/`)

// ReadNow is a Read of these names. The variables among them are not looked at: all
// variables that the code gets belong to the key.
func ReadNow(names []string) Read {
	h := sha256.New()
	r := Read{}
	for _, read := range names {
		did, name, _ := strings.Cut(read, " ")
		if did == "getenv" || ofKernel.MatchString(name) {
			continue
		}
		r.Names = append(r.Names, read)
		fmt.Fprintf(h, "%s\n", read)
		Look(h, name, true)
		if entries, err := os.ReadDir(name); err == nil && did == "open" {
			for _, e := range entries {
				fmt.Fprintf(h, "%s\n", e.Name())
				look(h, os.Lstat, filepath.Join(name, e.Name()), true)
			}
		}
	}
	r.State = hex.EncodeToString(h.Sum(nil))
	return r
}

// Over reports whether it holds no more.
func (r Read) Over() bool { return ReadNow(r.Names).State != r.State }

// maxContent bounds, in bytes, the files that are compared by their content. Larger ones
// are by their size, and by when they changed.
const maxContent = 1 << 20

// Look writes what there is under a name: the file or folder itself, where a link leads
// to, and the content of a file; with times, also when each was written.
func Look(w io.Writer, name string, times bool) {
	link, _ := os.Readlink(name)
	fmt.Fprintf(w, "%s\n", link)
	look(w, os.Lstat, name, times)
	info := look(w, os.Stat, name, times)
	if info == nil || !info.Mode().IsRegular() || info.Size() > maxContent {
		return
	}
	f, err := os.Open(name)
	if err != nil {
		fmt.Fprintln(w, "cannot be opened")
		return
	}
	_, _ = io.CopyN(w, f, maxContent) // shorter, as a rule
	_ = f.Close()                     // it was only read
}

func look(w io.Writer, stat func(string) (os.FileInfo, error), name string, times bool) os.FileInfo {
	info, err := stat(name)
	if err != nil {
		fmt.Fprintf(w, "none: %v\n", os.IsNotExist(err))
		return nil
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = 0 // of a folder, it depends on what was in it
	}
	fmt.Fprintln(w, info.Mode(), size)
	at := info.ModTime()
	if size > maxContent {
		times, at = true, Changed(info)
	}
	if times {
		fmt.Fprintln(w, at.UnixNano())
	}
	return info
}

// Since reports whether something of it has changed since a time, as far as the file
// system says.
func (r Read) Since(t time.Time) bool {
	return slices.ContainsFunc(r.Names, func(read string) bool {
		_, name, _ := strings.Cut(read, " ")
		itself, err := os.Lstat(name)
		for err != nil && name != filepath.Dir(name) {
			name = filepath.Dir(name) // from which it was removed, or where it never was
			itself, err = os.Lstat(name)
		}
		to, leads := os.Stat(name)
		return err == nil && Changed(itself).After(t) || leads == nil && Changed(to).After(t)
	})
}
