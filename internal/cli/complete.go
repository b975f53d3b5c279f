package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/strategies"
)

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeFlags attaches completions to the flags of a command.
func (a *app) completeFlags(cmd *cobra.Command) {
	for flag, offer := range map[string]cobra.CompletionFunc{
		"course": completeCourse, "hazard": a.completeHazard, "hazards": a.completeHazard, "lang": fixed(prose.Languages()),
		"locks": a.completeLock, "redis": fixed([]string{ownServer}), "set": cobra.NoFileCompletions, "strategy": a.completeLock,
		"theme": fixed(themes), "with": completeFolder, "zookeeper": fixed([]string{ownServer}),
	} {
		_ = cmd.RegisterFlagCompletionFunc(flag, offer) // an error if the command has no such flag
	}
}

func fixed(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return words, noFiles
	}
}

func (a *app) completeLock(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var locks []string
	for _, info := range strategies.Catalogue() {
		locks = append(locks, cobra.CompletionWithDesc(info.ID, a.book.Lock(info.ID).Name))
	}
	return locks, noFiles
}

func (a *app) completeHazard(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var hazards []string
	for _, id := range hazardIDs() {
		hazards = append(hazards, cobra.CompletionWithDesc(id, a.book.Hazard(id).Name))
	}
	return hazards, noFiles
}

// refuseShells makes an unknown shell an error; cobra would print its help and
// exit with 0.
func refuseShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return noCommand(cmd, args)
	}
}

// first completes only the first word.
func first(with cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, noFiles
		}
		return with(cmd, args, word)
	}
}

// completeStory offers the stories, or story files if no story matches.
func (a *app) completeStory(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range scenarios.Stories() {
		if strings.HasPrefix(s.Name, word) {
			names = append(names, cobra.CompletionWithDesc(s.Name, a.in(lang.New("%s, %d steps", s.Strategy(), len(s.Steps)))))
		}
	}
	if len(names) == 0 {
		return []string{"txt"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return names, noFiles
}

func completeFolder(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
