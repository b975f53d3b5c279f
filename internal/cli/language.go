package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// languageOf is the language that the environment asks for, as POSIX has it; the
// first that there is where it asks for none of ours.
func languageOf(getenv func(string) string) string {
	known := prose.Languages()
	if base := baseOf(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))); slices.Contains(known, base) {
		return base
	}
	return known[0]
}

// baseOf is the language of a locale or a tag: zh of zh_CN.UTF-8 and of zh-Hans.
func baseOf(locale string) string {
	end := strings.IndexAny(locale, "_-.@")
	if end < 0 {
		end = len(locale)
	}
	return strings.ToLower(locale[:end])
}

// spoken is the language in which a command line is answered, known before it is
// parsed, so that help and mistakes are in it too: that of its last --lang, or else
// the one given.
func spoken(args []string, lang string) string {
	known := prose.Languages()
	for i, arg := range args {
		said, ok := strings.CutPrefix(arg, "--lang=")
		switch {
		case arg == "--":
			return lang
		case arg == "--lang" && i+1 < len(args):
			said = args[i+1]
		case !ok:
			continue
		}
		if base := baseOf(said); slices.Contains(known, base) {
			lang = base
		}
	}
	return lang
}

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
