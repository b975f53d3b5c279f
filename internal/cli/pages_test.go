package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestCommandsOfThePages: every command line that a page shows is one, and
// those that take little do what they say.
func TestCommandsOfThePages(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("LOCKSTEP_PLAIN", "1")
	lines := commandLines(t)
	if len(lines) < 40 {
		t.Errorf("only %d command lines", len(lines))
	}
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)[1:]
			cmd := parsed(t, words)
			if !runnable(cmd.Name(), line) {
				return
			}
			var out, talk strings.Builder
			if code := run(t.Context(), words, strings.NewReader(""), &out, &talk); code != exitOK || out.Len() == 0 {
				t.Errorf("exit code %d\n%s%s", code, &out, &talk)
			}
		})
	}
}

// parsed is the command of a command line, whose flags it has.
func parsed(t *testing.T, words []string) *cobra.Command {
	t.Helper()
	root := newApp(strings.NewReader(""), os.Stdout, os.Stderr).rootCommand()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(words)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil {
		t.Fatalf("lockstep %s: %v", strings.Join(words, " "), err)
	}
	return cmd
}

// TestExamplesOfTheHelp: every example that --help shows is a command line.
func TestExamplesOfTheHelp(t *testing.T) {
	n := 0
	commandsOf(helped(t), func(cmd *cobra.Command) {
		for _, line := range strings.Split(cmd.Example, "\n") {
			if words := strings.Fields(line); len(words) > 0 && words[0] == "lockstep" {
				parsed(t, words[1:])
				n++
			}
		}
	})
	if n < 30 {
		t.Errorf("only %d examples", n)
	}
}

// placeholder is what a reader puts something else in place of.
var placeholder = regexp.MustCompile(`(^| |=)[A-Z]{2,}\b|\.\.\.|\./|FOLDER`)

// runnable says whether a command line is complete, quick, needs no server and no file, and
// leaves nothing behind.
func runnable(name, line string) bool {
	switch {
	case placeholder.MatchString(line) || strings.Contains(line, " -o ") || strings.Contains(line, "--redis") || strings.Contains(line, "--reset-progress") ||
		strings.Contains(line, "--present") || strings.Contains(line, "--export") || strings.Contains(line, "--watch") || strings.Contains(line, "--walk"):
		return false
	case strings.HasSuffix(line, " "+name) && slices.Contains([]string{"run", "test", "check", "exercise", "new", "replay", "web", "serve"}, name): // the command by itself
		return false
	case name == "explore" || name == "test":
		return !testkit.Raced && (strings.Contains(line, "--hazard") || name == "test")
	}
	return !slices.Contains([]string{"locktest", "check", "matrix", "hunt", "export", "merge", "workshop", "worker"}, name)
}

// commandLines are those of all pages: in code, and between fences.
func commandLines(t *testing.T) (lines []string) {
	shown := regexp.MustCompile("(?m)(?:^|`)(lockstep(?: [^`|\n]*)?)(?:`|$)")
	met := map[string]bool{}
	for _, pattern := range []string{"*.md", "*/*.md", "internal/*/*.md", "tui/pages/*.md"} {
		pages := testkit.Must(filepath.Glob(pattern))(t)
		for _, page := range pages {
			text := testkit.Must(os.ReadFile(page))(t)
			for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
				line, _, _ := strings.Cut(strings.TrimSpace(m[1]), " > ")
				if !met[line] {
					met[line] = true
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}

// TestEveryHazardIsTold: each hazard has its words in every language, and its
// line in the page of the hazards, in the order of the columns.
func TestEveryHazardIsTold(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/hazards.md"))(t)
	var want strings.Builder
	for _, h := range explore.Hazards() {
		for _, lang := range prose.Languages() {
			book := prose.Load(lang)
			if book.Hazard(h.ID).Says == "" {
				t.Errorf("%s: no words for the hazard %s", lang, h.ID)
			} else if lang == "en" {
				want.WriteString("| " + h.ID + " | " + book.EveryHazard(h.ID) + " |\n")
			}
		}
	}
	if !strings.Contains(string(page), want.String()) {
		t.Errorf("the hazards in docs/hazards.md are not\n%s", &want)
	}
}

// TestJSONIsDescribed: every field that --json prints stands in the page about
// the commands.
func TestJSONIsDescribed(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/commands.md"))(t)
	names := map[string]bool{"schema": true, "config": true, "nodes": true, "schedule": true}
	for _, printed := range []any{history.Event{}, catalogue{}, row{}} {
		jsonNames(reflect.TypeOf(printed), names)
	}
	for name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/commands.md says nothing of %s", name)
		}
	}
}

func jsonNames(t reflect.Type, names map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		jsonNames(t.Elem(), names)
	case reflect.Struct:
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
				names[name] = true
			}
			if t.Field(i).Type != reflect.SliceOf(t) { // a row in a row
				jsonNames(t.Field(i).Type, names)
			}
		}
	}
}
