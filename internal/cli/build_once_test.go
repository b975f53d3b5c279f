package cli

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Linking a test binary costs more than most of what the scripts do with it, and
// they do much with the same one. So they find a go command that keeps what
// go test -c has built, and otherwise is the real one.
const (
	realGo     = "LOCKSTEP_TEST_GO"    // the path of the real go command
	builtTests = "LOCKSTEP_TEST_BUILT" // the folder for test binaries; if not set, none is kept
)

// shareBuilds notes which go command is the real one, before another one is found
// first.
func shareBuilds() error {
	if os.Getenv(realGo) != "" {
		return nil // this is a program that a test has started
	}
	path, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	return os.Setenv(realGo, path)
}

// buildOnce is the go command of the scripts.
func buildOnce() {
	args := os.Args[1:]
	out := slices.Index(args, "-o") + 1
	if os.Getenv(builtTests) == "" || len(args) < 2 || args[0] != "test" || args[1] != "-c" || out == 0 {
		os.Exit(runGo(args))
	}
	file := args[out]
	kept := filepath.Join(os.Getenv(builtTests), keyOfBuild(slices.Delete(slices.Clone(args), out, out+1)))
	if os.Link(kept, file) == nil {
		os.Exit(0)
	}
	code := runGo(args)
	if code == 0 {
		_ = os.Link(file, kept) // without it the next build takes longer, no more
	}
	os.Exit(code)
}

// keyOfBuild is a digest of what is built: the arguments, the folder and its files.
func keyOfBuild(args []string) string {
	digest := sha256.New()
	dir, _ := os.Getwd()
	fmt.Fprintf(digest, "%q %q\n", args, dir)
	names, _ := filepath.Glob("*")
	for _, name := range names {
		text, _ := os.ReadFile(name) // a folder has none
		fmt.Fprintf(digest, "%q %q\n", name, text)
	}
	return fmt.Sprintf("%x.test", digest.Sum(nil))
}

func runGo(args []string) int {
	cmd := exec.Command(os.Getenv(realGo), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}
