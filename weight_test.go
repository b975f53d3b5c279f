package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostWeight is what the product may weigh: tokens of Go without comments and tests, since lines
// are shortened by making them long. It only falls. Work on a feature has an allowance, which
// its commit names.
const mostWeight = 477309

// weights are the rooms as they were reached. A room that grows says in its commit what users get
// for it, and which other room pays for it.
var weights = map[string]int{
	".": 30, "locktest": 6997, "scenarios": 27346, "strategies": 9469, "tools": 10874,
	"internal/carried": 515, "internal/cache": 3443, "internal/cli": 44940, "internal/course": 12073, "internal/diagram": 13093, "internal/explain": 15521, "internal/export": 14109,
	"internal/files": 3600, "internal/gotool": 481, "internal/lang": 1843, "internal/lesson": 7271, "internal/matrix": 2405, "internal/palette": 476,
	"internal/parallel": 149, "internal/phrase": 1812, "internal/pieces": 3758, "internal/progress": 2575, "internal/prose": 3237, "internal/queue": 3042,
	"internal/release": 2174, "internal/testkit": 10206, "internal/trial": 19435, "internal/web": 7479, "internal/workshop": 16821,
	"sim": 14061, "sim/bubble": 18241, "sim/explore": 16881, "sim/fuzz": 5215, "sim/history": 15591, "sim/internal": 126,
	"sim/live": 9167, "sim/model": 17054, "sim/program": 11394, "sim/remote": 7632, "sim/resp": 1691, "sim/server": 25830,
	"sim/table": 569, "sim/world": 5890, "sim/zookeeper": 13069,
	"tui": 2079, "tui/pages": 73014, "tui/paint": 834, "tui/render": 17051,
}

// aside are rooms that only tests and releases need.
var aside = []string{"internal/release", "internal/testkit", "tools"}

func TestWeightOnlyFalls(t *testing.T) {
	rooms, product := map[string]int{}, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parts := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
		room := parts[0]
		if len(parts) > 1 && (room == "internal" || room == "sim" || room == "tui") {
			room += "/" + parts[1]
		}
		n, err := tokens(path)
		rooms[room] += n
		if !slices.Contains(aside, room) {
			product += n
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		switch n, most := rooms[room], weights[room]; {
		case n > most:
			t.Errorf("%q weighs %d tokens, and may weigh %d", room, n, most)
		case n < most-most/50:
			t.Errorf("%q weighs %d tokens: lower its limit, which is %d", room, n, most)
		}
	}
	for room := range weights {
		if rooms[room] == 0 {
			t.Errorf("%q is no room", room)
		}
	}
	if product > mostWeight || product < mostWeight-mostWeight/100 {
		t.Errorf("the product weighs %d tokens; its limit is %d, and only falls", product, mostWeight)
	}
}

// tokens returns how many tokens a file of Go has that somebody wrote.
func tokens(path string) (int, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(path, -1, len(src)), src, nil, 0)
	for n := 0; ; n++ {
		switch _, t, text := s.Scan(); {
		case t == token.EOF:
			return n, nil
		case t == token.SEMICOLON && text == "\n":
			n--
		}
	}
}
