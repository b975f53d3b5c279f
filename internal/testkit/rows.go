package testkit

import (
	"os"
	"strings"
	"testing"
)

// Rows returns the rows of a table in a file: a line for each, with so many columns between |.
// Empty lines and those that begin with # say nothing.
func Rows(t testing.TB, file string, columns int) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(Must(os.ReadFile(file))(t))) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns, not %d", file, line, len(row), columns)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return rows
}
