// Command release packs Lockstep for people without a compiler. Run it in a
// clone without changes:
//
//	go run -C internal/release .
//	go run -C internal/release . linux/amd64 windows/arm64
//
// The first makes an archive for each of the usual systems, the second for
// those that are named. docs/internals/releasing.md says what comes out.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// pages are the files that come with the program, if they exist.
var pages = []string{
	"*.md", "LICENSE*", "docs/*.md", "docs/internals/*.md", "docs/*.svg", "docs/*.json",
	"scenarios/README*.md", "internal/course/README*.md",
}

func main() {
	if err := release("../..", filepath.Join("../..", "dist"), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// release replaces a folder by the archives, their SBOMs and SHA256SUMS. All content
// comes from the commit.
func release(root, dist string, wanted []string) error {
	for _, t := range wanted {
		if !slices.Contains(targets, t) {
			return fmt.Errorf("%q is not a target; use one of %s", t, strings.Join(targets, ", "))
		}
	}
	if len(wanted) == 0 {
		wanted = targets
	}
	changes, err := output(root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("a release is made from a commit, and the tree has changes:\n%s", changes)
	}
	if err := errors.Join(os.RemoveAll(dist), os.MkdirAll(dist, 0o755)); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range wanted {
		made, err := build(root, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		for _, f := range made {
			sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(f.data), f.name)
			sums.WriteString(sum)
			fmt.Print(sum)
			if err := os.WriteFile(filepath.Join(dist, f.name), f.data, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// build makes the archive of a target, and its SBOM.
func build(root, target string) ([]file, error) {
	system, arch, _ := strings.Cut(target, "/")
	program := "lockstep"
	if system == "windows" {
		program += ".exe"
	}
	dir, err := os.MkdirTemp("", "lockstep-release")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, program)
	// Every setting that changes the bytes is fixed here.
	env := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-trimpath", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off"}
	if _, err := output(root, env, "go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", binary, "."); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	when, err := committed(info)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	licences, err := licences(root, info)
	if err != nil {
		return nil, err
	}
	files := []file{{program, data, 0o755}, {"THIRD-PARTY-LICENSES.txt", licences, 0o644}}
	for _, pattern := range pages {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, file{path.Join(path.Dir(pattern), filepath.Base(name)), text, 0o644})
		}
	}
	bom, err := sbom(info, when, data)
	if err != nil {
		return nil, err
	}
	name := strings.Join([]string{"lockstep", info.Main.Version, system, arch}, "_")
	archive, err := pack(system, name, files, when)
	return []file{archive, {name + ".cdx.json", bom, 0o644}}, err
}

// committed returns the time of the commit that a program names.
func committed(info *debug.BuildInfo) (time.Time, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] != "false" {
		return time.Time{}, fmt.Errorf("the program, %s, does not say that it is of a commit without changes; use a clone with a .git folder, not a git worktree", info.Main.Version)
	}
	return time.Parse(time.RFC3339, settings["vcs.time"])
}

// licences returns the licences of all modules in a program. Most require that.
func licences(root string, info *debug.BuildInfo) ([]byte, error) {
	goroot, err := output(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := licence(&out, "Go "+info.GoVersion, goroot); err != nil {
		return nil, err
	}
	for _, m := range modules(info) {
		dir, err := output(root, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path)
		if err == nil {
			err = licence(&out, m.Path+" "+m.Version, dir)
		}
		if err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// instead gives the licence of modules without a licence file.
var instead = map[string]string{"github.com/mattn/go-localereader v0.0.1": "README.md"}

// licence adds the licence files in a module's folder.
func licence(out *bytes.Buffer, module, dir string) error {
	found := false
	entries, err := os.ReadDir(dir) // in order of their names
	if err != nil {
		return err
	}
	for _, e := range entries {
		stem, _, _ := strings.Cut(strings.ToUpper(e.Name()), ".")
		if e.IsDir() || e.Name() != instead[module] && !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, stem) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(out, "==== %s: %s\n\n%s\n\n", module, e.Name(), strings.TrimSpace(string(text)))
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s, so nobody may be given it", module, dir)
	}
	return nil
}

// modules lists the modules linked into a program, after replacements.
func modules(info *debug.BuildInfo) (list []*debug.Module) {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, m)
	}
	return list
}

// output returns the output of a command.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var says bytes.Buffer
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, says.String())
	}
	return strings.TrimSpace(string(out)), nil
}
