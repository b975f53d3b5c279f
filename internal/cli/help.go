package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// asManual turns Markdown into help text: it indents fenced code and ends
// headings with a colon.
func asManual(markdown string) string {
	var out []string
	fenced := false
	for _, line := range strings.Split(strings.TrimSpace(markdown), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			continue
		case fenced && line != "":
			line = "    " + line
		case strings.HasPrefix(line, "#"):
			line = strings.TrimLeft(line, "# ") + ":"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// helpCommand replaces cobra's, which accepts unknown topics.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, sub := range cmd.Root().Commands() {
				if len(args) == 0 && (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, noFiles
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(cmd.Root(), rest[0])
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// each does something with a command and those below it.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, do)
	}
}

// withArgument is a command with one argument.
func withArgument(use string, what lang.Message, offer cobra.CompletionFunc, run func(cmd *cobra.Command, arg string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Args: exactly(what), ValidArgsFunction: first(offer),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args[0]) },
	}
}

// withoutArguments is a command without arguments.
func withoutArguments(use string, run func(*cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd) },
	}
}

// group is a command that does nothing without one of those below it.
func group(use string, of ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: noCommand, RunE: noCommand}
	cmd.AddCommand(of...)
	return cmd
}

// noCommand is the error for words that name no command below one.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(cmd, "a command is missing; use %s", lang.Names(namesBelow(cmd)))
	}
	return usage(cmd, "%q is not a command; %s", args[0], lang.Fit(args[0], namesBelow(cmd)))
}

// namesBelow lists the commands and topics below a command.
func namesBelow(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

func unknownCommand(root *cobra.Command, word string) error {
	if err := retirement(root, []string{word}, ""); err != nil {
		return usage(root, "%w", err)
	}
	fits := elsewhere(word)
	if fits.None() {
		fits = lang.Fit(word, append(namesBelow(root), "help"))
	}
	return usage(root, "%q is not a command; %s", word, fits)
}

// exactly is for a command with a fixed number of arguments; what describes
// each.
func exactly(what ...lang.Message) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for i, w := range what {
			if i >= len(args) {
				see := cmd.CommandPath() + " --help"
				if _, rest, _ := strings.Cut(cmd.Use, " "); i == 0 && strings.Contains("LOCK STORY", strings.Fields(rest)[0]) {
					see = "lockstep list"
				}
				return refused(missing(cmd, w), see)
			}
		}
		if len(args) > len(what) {
			return usage(cmd, "%q is one word too many", args[len(what)])
		}
		return nil
	}
}

// missing is the error for an argument that is not given. It has the first example of the help.
func missing(cmd *cobra.Command, what lang.Message) error {
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	return lang.Errorf("%v is missing; for example: %s", what, example)
}

// checkShared checks the flags that all commands share.
func (a *app) checkShared(cmd *cobra.Command, _ []string) error {
	known, err := a.languages(prose.Languages())
	if err != nil {
		return err
	}
	if base := baseOf(a.lang); slices.Contains(known, base) {
		a.lang = base
	} else {
		return usage(cmd, "--lang: %q is not a language; use %s", a.lang, lang.Names(known))
	}
	if !slices.Contains(themes, a.theme) {
		return usage(cmd, "--theme: %q is not a theme; use %s", a.theme, lang.Names(themes))
	}
	return a.checkGiven(cmd)
}
