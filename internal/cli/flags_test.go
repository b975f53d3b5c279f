package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

// helped is the root of all commands, with their help in English.
func helped(t *testing.T) *cobra.Command {
	t.Helper()
	a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	a.book, a.spoken = prose.Load("en"), "en"
	root := a.rootCommand()
	a.translate(root)
	return root
}

// everyCommand calls do with each command that can be run, and what a user types for it.
func everyCommand(t *testing.T, do func(cmd *cobra.Command, words []string)) {
	t.Helper()
	commandsOf(helped(t), func(cmd *cobra.Command) {
		if cmd.Runnable() {
			do(cmd, strings.Fields(cmd.CommandPath())[1:])
		}
	})
}

// nothing runs a command line that is to be refused. What is not is ended.
func nothing(t *testing.T, words ...string) (code int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	code, out, errs := lockstep(ctx, words...)
	if out != "" {
		t.Fatalf("%q printed %.80q", words, out)
	}
	return code, errs
}

// awayFromHome keeps what is not refused from doing harm.
func awayFromHome(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	t.Chdir(t.TempDir())
}

// TestEmptyValues: no flag of any command may be empty, as that of a shell's unset variable
// is, whether the value is a word of its own or not, and also where another one is not empty.
func TestEmptyValues(t *testing.T) {
	awayFromHome(t)
	tried := 0
	everyCommand(t, func(cmd *cobra.Command, words []string) {
		empty := func(f *pflag.Flag) {
			lines := [][]string{{"--" + f.Name + "="}}
			if f.NoOptDefVal == "" {
				lines = append(lines, []string{"--" + f.Name, ""})
			}
			if f.Shorthand != "" && f.NoOptDefVal == "" {
				lines = append(lines, []string{"-" + f.Shorthand, ""})
			}
			if strings.Contains(f.Value.Type(), "Slice") || strings.Contains(f.Value.Type(), "Array") {
				lines = append(lines, []string{"--" + f.Name, "a", "--" + f.Name, ""})
			}
			if strings.Contains(f.Value.Type(), "Slice") {
				lines = append(lines, []string{"--" + f.Name, ","}, []string{"--" + f.Name, "a,,b"}, []string{"--" + f.Name, "a,"})
			}
			for _, line := range lines {
				tried++
				code, said := nothing(t, append(slices.Clone(words), line...)...)
				if code != exitUsage || !strings.Contains(said, `"--`+f.Name+`" flag: `) {
					t.Fatalf("lockstep %s %q: %d, %s", strings.Join(words, " "), line, code, said)
				}
			}
		}
		cmd.InheritedFlags().VisitAll(empty)
		cmd.LocalFlags().VisitAll(empty)
	})
	if tried < 300 {
		t.Errorf("only %d were tried", tried)
	}
}

// TestEmptyArguments: no argument of any command may be empty.
func TestEmptyArguments(t *testing.T) {
	awayFromHome(t)
	everyCommand(t, func(_ *cobra.Command, words []string) {
		for n := 1; n <= 2; n++ {
			line := append(append(slices.Clone(words), "x", "y")[:len(words)+n-1], "")
			if len(words) == 0 && n > 1 {
				continue // x is no command
			}
			if code, said := nothing(t, line...); code != exitUsage || !strings.Contains(said, fmt.Sprintf("argument %d is empty", n)) {
				t.Fatalf("lockstep %q: %d, %s", line, code, said)
			}
		}
	})
}

// TestRulesOfFlags: each rule is about flags of some command, and refuses them there, with
// their names.
func TestRulesOfFlags(t *testing.T) {
	apply := map[string]bool{}
	try := func(cmd *cobra.Command, want string, flags ...string) {
		for _, name := range flags {
			f := cmd.Flags().Lookup(name)
			if f == nil {
				return
			}
			f.Changed = true
			defer func() { f.Changed = false }()
		}
		apply[want] = true
		a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
		a.terminal = true
		if err := a.checkGiven(cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %v: %v", cmd.CommandPath(), flags, err)
		}
	}
	all := func(do func(want string, flags ...string)) {
		for rule := range strings.Lines(excluding) {
			flag, others, _ := strings.Cut(rule, ":")
			for _, other := range strings.Fields(others) {
				do(fmt.Sprintf("--%s and --%s exclude each other", flag, other), flag, other)
			}
		}
	}
	everyCommand(t, func(cmd *cobra.Command, _ []string) {
		all(func(want string, flags ...string) { try(cmd, want, flags...) })
		for _, rule := range serving {
			if want := fmt.Sprintf("--%s needs --%s", rule.flag, rule.other); cmd.Flags().Lookup(rule.other) != nil {
				try(cmd, want, rule.flag)
			}
		}
	})
	all(func(want string, _ ...string) {
		if !apply[want] {
			t.Errorf("no command has both: %s", want)
		}
	})
	for _, rule := range serving {
		if want := fmt.Sprintf("--%s needs --%s", rule.flag, rule.other); !apply[want] {
			t.Errorf("no command has both: %s", want)
		}
	}
}

// TestWritten: a file that is to be written is looked at before the work begins, by every
// flag whose help says that it names one.
func TestWritten(t *testing.T) {
	everyCommand(t, func(cmd *cobra.Command, words []string) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			kind, usage := pflag.UnquoteUsage(f)
			writes := strings.Contains(usage, "write") && kind == "FILE"
			if slices.Contains(written, f.Name) != writes {
				t.Errorf("%v --%s %s %s: is it among those that write?", words, f.Name, kind, usage)
			}
			if part := cmd.Flags().Lookup("part"); part != nil {
				part.Changed = f.Name == "output"
			}
			for name, want := range map[string]string{"none/f.md": "there is no folder none", ".": ". is a folder; use a file in it"} {
				if !writes {
					continue
				}
				testkit.OK(t, cmd.Flags().Set(f.Name, name))
				a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
				if err := a.checkGiven(cmd); err == nil || !strings.Contains(err.Error(), "--"+f.Name+": "+want) {
					t.Errorf("%v --%s %s: %v", words, f.Name, name, err)
				}
				f.Changed = false
			}
		})
	})
}
