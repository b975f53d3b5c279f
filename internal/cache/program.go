package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

// Builtin returns the code of the locks that come with Lockstep, and of all that judges
// them, on this machine: the program that runs, and what of the environment changes what
// it does. The program is known by its file's name, its size and when it changed, since to
// read it takes longer than to start it. It is "", false if the file is no longer there.
var Builtin = sync.OnceValues(func() (string, bool) {
	name, err := os.Executable()
	if err != nil {
		return "", false
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	return fmt.Sprint(name, info.Size(), Changed(info).UnixNano(), " GODEBUG=", os.Getenv("GODEBUG")), true
})

// Identify returns the hash of a program's file, the same on all machines; false if it
// cannot be read.
func Identify(file string) (string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err == nil
}
