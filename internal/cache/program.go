package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// executable is the hash of the program that runs, and what of the environment changes what
// its code does; false if it cannot be read. It reads all of it: a build ID can be set
// by hand, and that a file has its size and its time does not mean that it is the same.
func executable() (string, bool) {
	f, err := os.Open("/proc/self/exe") // also after the file has been replaced
	if err != nil {
		var name string
		if name, err = os.Executable(); err == nil {
			f, err = os.Open(name)
		}
	}
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", false
	}
	return hex.EncodeToString(h.Sum(nil)) + " GODEBUG=" + os.Getenv("GODEBUG"), true
}
