//go:build unix

package web

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInterruptedBuild: the go command is asked to end, so that it removes its files. The
// test has one of its own, which says that it has begun through a pipe.
func TestInterruptedBuild(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go", "#!/bin/sh\ntrap 'rm work; exit 1' INT\n: > work\n: > begun\nwhile :; do read line; done < never\n")
	if err := os.Chmod(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	begun, never := pipe(t, dir, "begun"), pipe(t, dir, "never")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		if f, err := os.Open(begun); err == nil { // waits until it is written to
			_ = f.Close()
		}
	}()
	f, err := os.OpenFile(never, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := goCommand(ctx, dir, "build"); err == nil {
		t.Error("it went on")
	}
	if _, err := os.Stat(filepath.Join(dir, "work")); err == nil {
		t.Error("its file is left")
	}
}

func pipe(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
