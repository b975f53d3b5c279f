package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTwoClones: a program of one commit, released from two folders, is the
// same to the byte, and says which commit it is of.
func TestTwoClones(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	for name, text := range map[string]string{
		"go.mod": "module tiny\n\ngo 1.26.0\n", ".gitignore": "/dist\n", "README.md": "Tiny\n", "docs/page.md": "A page\n",
		"main.go": "package main\n\nimport \"runtime/debug\"\n\nfunc main() {\n\tinfo, _ := debug.ReadBuildInfo()\n\tprintln(info.Main.Version)\n}\n",
	} {
		write(t, filepath.Join(first, name), text)
	}
	git(t, first, "init", "-q")
	git(t, first, "add", ".")
	git(t, first, "commit", "-q", "-m", "Tiny")
	git(t, first, "tag", "v1.2.3")
	second := filepath.Join(t.TempDir(), "another", "second")
	git(t, first, "clone", "-q", first, second)

	here, other := runtime.GOOS+"/"+runtime.GOARCH, "windows/arm64"
	sums := map[string]string{}
	for i, dir := range []string{first, second} {
		if i > 0 { // the second time somebody has set what would change the program
			t.Setenv("GOEXPERIMENT", "greenteagc")
			t.Setenv("GOFIPS140", "latest")
		}
		if err := release(dir, filepath.Join(dir, "dist"), []string{here, other}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "dist", "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[dir] = string(text)
	}
	if sums[first] != sums[second] || strings.Count(sums[first], "\n") != 4 {
		t.Errorf("one clone:\n%sand another:\n%s", sums[first], sums[second])
	}

	name := "lockstep_v1.2.3_" + strings.ReplaceAll(here, "/", "_")
	data, err := os.ReadFile(filepath.Join(first, "dist", name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	files := untarred(t, data)
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimPrefix(f.name, name+"/"))
	}
	if want := []string{"lockstep", "THIRD-PARTY-LICENSES.txt", "README.md", "docs/page.md"}; !slices.Equal(names, want) {
		t.Errorf("%s has %v, and not %v", name, names, want)
	}
	program := filepath.Join(t.TempDir(), "lockstep")
	if err := os.WriteFile(program, files[0].data, files[0].mode); err != nil {
		t.Fatal(err)
	}
	says, err := exec.Command(program).CombinedOutput()
	if err != nil || string(says) != "v1.2.3\n" {
		t.Errorf("the program says %q, %v", says, err)
	}

	write(t, filepath.Join(second, "main.go"), "package main\n\nfunc main() {}\n")
	if err := release(second, filepath.Join(second, "dist"), []string{here}); err == nil || !strings.Contains(err.Error(), "M main.go") {
		t.Errorf("a tree with changes: %v", err)
	}
}

func TestUnknownTarget(t *testing.T) {
	dist := filepath.Join(t.TempDir(), "dist")
	write(t, filepath.Join(dist, "kept"), "")
	if err := release("../..", dist, []string{"linux/amd46"}); err == nil || !strings.Contains(err.Error(), `"linux/amd46" is not a target; use one of linux/amd64, `) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dist, "kept")); err != nil {
		t.Error(err)
	}
}

// TestPack: an archive has what went in, the program may be run, and neither
// the clock nor the time zone shows.
func TestPack(t *testing.T) {
	when := time.Date(2026, 11, 22, 21, 11, 38, 0, time.UTC)
	files := []file{{"lockstep", []byte("#!"), 0o755}, {"docs/page.md", bytes.Repeat([]byte("text "), 1000), 0o644}}
	for system, unpack := range map[string]func(*testing.T, []byte) []file{"linux": untarred, "windows": unzipped} {
		one, err := pack(system, "folder", files, when)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack(system, "folder", files, when.In(time.FixedZone("east", 8*60*60)))
		if err != nil || !bytes.Equal(one.data, two.data) {
			t.Errorf("%s: it differs in another time zone, %v", system, err)
		}
		later, err := pack(system, "folder", files, when.Add(2*time.Second))
		if err != nil || bytes.Equal(one.data, later.data) {
			t.Errorf("%s: the time of the commit is not in it, %v", system, err)
		}
		got := unpack(t, one.data)
		if len(got) != len(files) {
			t.Fatalf("%s: %d files", system, len(got))
		}
		for i, f := range files {
			if got[i].name != "folder/"+f.name || !bytes.Equal(got[i].data, f.data) || got[i].mode != f.mode {
				t.Errorf("%s: %s came back as %s, %o, %d bytes", system, f.name, got[i].name, got[i].mode, len(got[i].data))
			}
		}
	}
}

// TestSBOM: every module of a program is listed as it was linked.
func TestSBOM(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "lockstep", Version: "v1.2.3"}, Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.0.0"},
		{Path: "example.com/b/v2", Version: "v2.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v2.0.1"}},
	}}
	text, err := sbom(info, time.Date(2026, 11, 22, 21, 11, 38, 0, time.FixedZone("east", 3600)), []byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BomFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct {
				Version string
				Hashes  []struct{ Content string }
			}
		}
		Components []struct{ Purl string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	var purls []string
	for _, c := range bom.Components {
		purls = append(purls, c.Purl)
	}
	if want := []string{"pkg:golang/std@1.26.8", "pkg:golang/example.com/a@v1.0.0", "pkg:golang/example.com/fork@v2.0.1"}; !slices.Equal(purls, want) {
		t.Errorf("components %v, and not %v", purls, want)
	}
	m := bom.Metadata
	const sum = "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8" // sha256sum of the word
	if bom.BomFormat != "CycloneDX" || m.Timestamp != "2026-11-22T20:11:38Z" || m.Component.Version != "v1.2.3" || len(m.Component.Hashes) != 1 || m.Component.Hashes[0].Content != sum {
		t.Errorf("%s", text)
	}
}

// TestLicences: what may not be given away without its licence is not.
func TestLicences(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "licenses.go"), "package licenses\n")
	var out bytes.Buffer
	if err := licence(&out, "example.com/a v1.0.0", dir); err == nil || !strings.Contains(err.Error(), "example.com/a v1.0.0 has no licence") {
		t.Error(err)
	}
	write(t, filepath.Join(dir, "LICENSE.md"), "Do what you like.\n")
	write(t, filepath.Join(dir, "NOTICE"), "But name me.\n")
	const want = "==== example.com/a v1.0.0: LICENSE.md\n\nDo what you like.\n\n==== example.com/a v1.0.0: NOTICE\n\nBut name me.\n\n"
	if err := licence(&out, "example.com/a v1.0.0", dir); err != nil || out.String() != want {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestPages: what is to go with the program is there.
func TestPages(t *testing.T) {
	for _, pattern := range pages {
		if found, err := filepath.Glob(filepath.Join("../..", pattern)); pattern != "LICENSE*" && len(found) == 0 || err != nil {
			t.Errorf("nothing is called %s, %v", pattern, err)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func untarred(t *testing.T, data []byte) (files []file) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(packed); ; {
		head, err := in.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{head.Name, text, head.FileInfo().Mode()})
	}
}

func unzipped(t *testing.T, data []byte) (files []file) {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range in.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{f.Name, text, f.Mode()})
	}
	return files
}
