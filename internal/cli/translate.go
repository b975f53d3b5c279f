package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/lang"
)

// headings are what cobra prints around what the commands say.
var headings = []lang.Word{
	"Usage:", "Examples:", "Available Commands:", "Flags:", "Global Flags:", "Additional help topics:",
	`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
}

// translate puts what the language has about each command in place of the English
// that stands with it.
func (a *app) translate(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	var pairs []string
	for _, h := range headings {
		pairs = append(pairs, "\n"+string(h), "\n"+a.in(h))
	}
	pairs = append(pairs, "[command]{{end}}", a.in(lang.New("[command]"))+"{{end}}")
	usage := strings.NewReplacer(pairs...).Replace("\n" + root.UsageTemplate())
	root.SetUsageTemplate(strings.TrimPrefix(usage, "\n"))
	a.translateCommand(root)
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if f := cmd.Flags().Lookup("version"); f != nil { // it is there only by now
			f.Usage = a.in(lang.New("version for %s", cmd.Name()))
		}
		show(cmd, args)
	})
}

func (a *app) translateCommand(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	help := a.book.Help(commandWords(cmd))
	if help.Short != "" {
		cmd.Short = help.Short
	}
	if help.Long != "" {
		cmd.Long = help.Long
	}
	if !cmd.DisableFlagsInUseLine && !cmd.IsAdditionalHelpTopicCommand() { // else cobra says so, in English
		cmd.Use, cmd.DisableFlagsInUseLine = cmd.Use+" "+a.in(lang.New("[flags]")), true
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			switch text := help.Flags[f.Name]; {
			case f.Name == "help":
				f.Usage = a.in(lang.New("help for %s", cmd.Name()))
			case text != "":
				f.Usage = text
				a.translateDefault(f)
			}
		})
	}
	for _, sub := range cmd.Commands() {
		a.translateCommand(sub)
	}
}

// commandWords is what a person types for a command.
func commandWords(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// translateDefault says the default where pflag would say it in English.
func (a *app) translateDefault(f *pflag.Flag) {
	if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
		f.Usage = a.in(lang.New("%s (default %s)", f.Usage, f.DefValue))
		f.DefValue = ""
	}
}
