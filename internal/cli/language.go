package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// languageOf returns the language of the POSIX locale, or the first known one.
func languageOf(getenv func(string) string) string {
	known := prose.Languages()
	if base := baseOf(cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))); slices.Contains(known, base) {
		return base
	}
	return known[0]
}

// baseOf returns the language of a locale or a tag: zh for zh_CN.UTF-8 and zh-
// Hans.
func baseOf(locale string) string {
	end := strings.IndexAny(locale, "_-.@")
	if end < 0 {
		end = len(locale)
	}
	return strings.ToLower(locale[:end])
}

// spoken returns the language of a command line's last --lang, or else lang. It
// is needed before parsing, for help and errors.
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

// headings are the texts of cobra's own help.
var headings = []lang.Word{"Usage:", "Examples:", "Available Commands:", "Flags:", "Global Flags:", "Additional help topics:"}

// translate replaces the English help of each command. It does without a template of
// cobra's, since a template makes the program a quarter larger: see package phrase.
func (a *app) translate(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		out, text, path := cmd.OutOrStderr(), &strings.Builder{}, cmd.CommandPath()
		cmd.SetOut(text)
		err := usage(cmd)
		cmd.SetOut(out)
		more := lang.New("Use \"%s [command] --help\" for more information about a command.", path)
		pairs := []string{"\n  " + path + " [command]", "\n  " + path + " " + a.in(lang.New("[command]")), "\n" + more.String(), "\n" + a.in(more)}
		for _, h := range headings {
			pairs = append(pairs, "\n"+string(h), "\n"+a.in(h))
		}
		_, _ = io.WriteString(out, strings.TrimPrefix(strings.NewReplacer(pairs...).Replace("\n"+text.String()), "\n"))
		return err
	})
	each(root, a.translateCommand)
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
	cmd.Example = help.Example
	if !cmd.DisableFlagsInUseLine && !cmd.IsAdditionalHelpTopicCommand() { // else cobra adds it in English
		cmd.Use, cmd.DisableFlagsInUseLine = cmd.Use+" "+a.in(lang.New("[flags]")), true
	}
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			switch text := help.Flags[f.Name]; {
			case f.Name == "help":
				f.Usage = a.in(lang.New("help for %s", cmd.Name()))
			case f.Name == "version":
				f.Usage = a.in(lang.New("version for %s", cmd.Name()))
			case text != "":
				f.Usage = text
				if a.spoken != prose.Languages()[0] {
					a.translateDefault(f)
				}
			}
		})
	}
}

// commandWords is what a user types for a command.
func commandWords(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// translateDefault writes a flag's default, which pflag would write in English.
func (a *app) translateDefault(f *pflag.Flag) {
	if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
		f.Usage = a.in(lang.New("%s (default %s)", f.Usage, f.DefValue))
		f.DefValue = ""
	}
}
