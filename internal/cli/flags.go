package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// This file says which values and which combinations of flags a command line may have. It
// is about all commands alike: a flag means the same wherever it is.

// takes gives a command flags: the name of each, and where its value is, which is the
// default. What they are for stands with the help of the command.
func takes(cmd *cobra.Command, named ...any) { takesIn(cmd.Flags(), named...) }

func takesIn(flags *pflag.FlagSet, named ...any) {
	for i := 0; i < len(named); i += 2 {
		name := named[i].(string)
		switch to := named[i+1].(type) {
		case *bool:
			flags.BoolVar(to, name, *to, "")
		case *string:
			flags.StringVar(to, name, *to, "")
		case *[]string:
			flags.StringSliceVar(to, name, *to, "")
		case pflag.Value:
			flags.Var(to, name, "")
		}
	}
}

// excluding are flags, each with those that would do nothing beside it, or the other way
// round. What is in a queue's Redis counts, however old.
const excluding = `
queue: part token watch fresh
plain: json
at: json
json: story transcript markdown walk watch token stats
story: transcript markdown walk stats
transcript: markdown
walk: plain fail-on-violation watch token
watch: token first exact junit sarif
token: first exact junit sarif
part: json story transcript walk markdown stats first fail-on-violation fresh watch token junit sarif
redis: zookeeper
source: card
set: update
reset-progress: present
`

// serving are flags that do nothing without another one, in a command that has it.
var serving = []struct{ flag, other string }{
	{"output", "part"},
	{"tls-cert", "tls-key"},
	{"tls-key", "tls-cert"},
	{passwordFlag, "queue"},
	{passwordFlag, "redis"},
}

// written are the flags that name a file to write.
var written = []string{"output", "junit", "sarif", "export"}

// checkGiven refuses what would be ignored, and a file that cannot be written.
func (a *app) checkGiven(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	for rule := range strings.Lines(excluding) {
		flag, others, _ := strings.Cut(rule, ":")
		for _, other := range strings.Fields(others) {
			if given(flag) && given(other) {
				return usage(cmd, "--%s and --%s exclude each other", flag, other)
			}
		}
	}
	for _, rule := range serving {
		is := cmd.Flags().Lookup(rule.other) == nil || given(rule.other)
		if err := only(cmd, is, lang.Quote("--"+rule.other), rule.flag); err != nil {
			return err
		}
	}
	if err := only(cmd, a.terminal, lang.New("a terminal"), "walk", "watch", "present"); err != nil {
		return err
	}
	var all []string
	for _, flag := range written { // what takes hours is not to be lost for the name of a file
		if !given(flag) {
			continue
		}
		name := cmd.Flags().Lookup(flag).Value.String()
		if dir := filepath.Dir(name); !isFolder(dir) {
			return usage(cmd, "--%s: there is no folder %s", flag, dir)
		}
		if isFolder(name) {
			return usage(cmd, "--%s: %s is a folder; use a file in it", flag, name)
		}
		if !files.MayWrite(name) {
			return usage(cmd, "--%s: %s cannot be written: may you write into its folder?", flag, name)
		}
		if name == toStdout && flag != "output" {
			return usage(cmd, "--%s: use a file; standard output has the verdicts", flag)
		}
		to, _ := files.Follow(name) // it may be written
		dir, _ := filepath.EvalSymlinks(filepath.Dir(to))
		dir, _ = filepath.Abs(dir)
		to = filepath.Join(dir, filepath.Base(to))
		if slices.Contains(all, to) {
			return usage(cmd, "--%s: another flag writes %s, too", flag, name)
		}
		all = append(all, to)
	}
	return nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// only refuses flags that do nothing but where something is so. what is what they need.
func only(cmd *cobra.Command, is bool, what lang.Message, flags ...string) error {
	if i := slices.IndexFunc(flags, cmd.Flags().Changed); i >= 0 && !is {
		return usage(cmd, "--%s needs %v", flags[i], what)
	}
	return nil
}

// filled is the value of a flag that may not be empty, as that of a shell's unset variable
// is.
type filled struct{ pflag.Value }

func (v filled) Set(s string) error {
	if s == "" {
		return lang.Errorf("it is empty; leave the flag out, or give it a value")
	}
	if v.Type() == "stringSlice" && slices.Contains(strings.Split(s, ","), "") {
		return lang.Errorf("one of its values is empty")
	}
	return v.Value.Set(s)
}

// refuseEmpty makes empty values of flags and empty arguments errors.
func refuseEmpty(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if i := slices.Index(args, ""); i >= 0 {
			return usage(cmd, "argument %d is empty", i+1)
		}
		if check == nil {
			return nil
		}
		return check(cmd, args)
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" { // any other is true or false
				f.Value = filled{f.Value}
				f.DefValue = strings.TrimSuffix(f.DefValue, "[]") // no list, which help would show as one
			}
		})
	}
}
