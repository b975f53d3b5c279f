package strategies

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// published says which rows of the catalogue are faulty as they were printed.
func published(info Info) bool { return len(info.Source) > 0 && info.ID != "set-lua" }

func TestCatalogue(t *testing.T) {
	ids := map[string]bool{}
	for _, info := range Catalogue() {
		if ids[info.ID] {
			t.Errorf("%s is listed twice", info.ID)
		}
		ids[info.ID] = true
	}
	answers := false
	for _, info := range Catalogue() {
		if want := strings.ReplaceAll(info.ID, "-", "_") + ".go"; info.File != want {
			t.Errorf("%s: file %s, want %s", info.ID, info.File, want)
		}
		if info.Fix != "" && !ids[info.Fix] || info.Fix == info.ID {
			t.Errorf("%s: fix %q", info.ID, info.Fix)
		}
		nodes := 1
		switch info.ID {
		case "redlock", "redlock-naive":
			nodes = 5
		case "optimistic-version":
			nodes = 0
		}
		if info.Nodes != nodes {
			t.Errorf("%s: %d nodes, want %d", info.ID, info.Nodes, nodes)
		}
		for _, s := range info.Source {
			if s != "W" && (len(s) != 2 || s[0] != 'T' || s[1] < '0' || s[1] > '4') {
				t.Errorf("%s: source %q", info.ID, s)
			}
		}
		if answers && len(info.Source) > 0 {
			t.Errorf("%s: a printed lock after the answers", info.ID)
		}
		answers = len(info.Source) == 0
	}
}

// Every Go file that declares a lock is in the catalogue.
func TestNoFileIsForgotten(t *testing.T) {
	listed := map[string]bool{"catalogue.go": true, "doc.go": true, "strategies.go": true, OnZooKeeper: true}
	for _, info := range Catalogue() {
		listed[info.File] = true
	}
	files := testkit.Must(os.ReadDir("."))(t)
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !listed[name] {
			t.Errorf("%s is not in the catalogue", name)
		}
	}
}

var fourLines = regexp.MustCompile(`(?m)^//
// Claim:  ".+"
// Breaks: .+\.
// See:    stories/[a-z0-9_]+\.txt
// Fix:    ([a-z-]+)
type (\w+) struct`)

func TestFiles(t *testing.T) {
	for _, info := range Catalogue() {
		text := Source(info.File)
		m := fourLines.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: no Claim, Breaks, See and Fix above its type", info.File)
			continue
		}
		fix := info.Fix
		if fix == "" {
			fix = "none"
		}
		if m[1] != fix {
			t.Errorf("%s: fix %s, the catalogue says %s", info.File, m[1], fix)
		}
		if got := fmt.Sprintf("%T", info.New(Env{})); got != "*strategies."+m[2] {
			t.Errorf("%s describes %s, the catalogue makes %s", info.File, m[2], got)
		}
		if marked := strings.Contains(text, "// BUG(lesson): "); marked != published(info) {
			t.Errorf("%s: marked as wrong is %v, want %v", info.File, marked, published(info))
		}
		if n := strings.Count(text, "\n"); n > 90 {
			t.Errorf("%s has %d lines, want at most 90", info.File, n)
		}
	}
}

func TestFind(t *testing.T) {
	if info, ok := Find("set-lua"); !ok || info.ID != "set-lua" {
		t.Errorf("set-lua: %v, %v", info.ID, ok)
	}
	if _, ok := Find("set-luna"); ok {
		t.Error("found a lock that does not exist")
	}
}

func TestOutcome(t *testing.T) {
	for _, err := range []error{timeout{}, io.EOF, fmt.Errorf("read: %w", io.ErrUnexpectedEOF)} {
		if got := outcome(err); !errors.Is(got, ErrUnknown) || !errors.Is(got, err) {
			t.Errorf("outcome(%v) = %v", err, got)
		}
	}
	refused := errors.New("WRONGTYPE")
	if got := outcome(refused); got != refused {
		t.Errorf("outcome(%v) = %v", refused, got)
	}
}
