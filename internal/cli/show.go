package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/strategies"
)

func (a *app) showCommand() *cobra.Command {
	var onlySource, onlyCard bool
	cmd := withArgument("show LOCK", lang.New("a lock"), a.completeLock, func(_ *cobra.Command, lock string) error {
		info, err := findLock(lock)
		if err != nil {
			return err
		}
		if !onlySource {
			a.card(info)
			if !onlyCard {
				a.say("")
			}
		}
		if !onlyCard {
			a.source(info)
		}
		return nil
	})
	takes(cmd, "source", &onlySource, "card", &onlyCard)
	return cmd
}

func (a *app) card(info strategies.Info) {
	card := a.book.Lock(info.ID)
	a.say("%s: %s", info.ID, card.Name)
	for _, p := range [][2]string{
		{"claims", card.Claims}, {"works", card.Works}, {"breaks", card.Breaks},
		{"costs", card.Costs}, {"fix", card.Fix}, {"seen", card.Seen},
	} {
		says, commands, _ := strings.Cut(p[1], "\n")
		a.fact(a.book.Text(p[0]), a.book.Sentences(says, commands))
	}
	a.fact(a.in(lang.New("Fixed by")), info.Fix)
	a.fact(a.in(lang.New("Tutorials")), a.in(lang.Names(info.Source)))
	for _, s := range scenarios.Stories() {
		if s.Strategy() == info.ID {
			a.say("Story: %s", s.Name)
		}
	}
}

func (a *app) source(info strategies.Info) {
	a.say("strategies/%s", info.File)
	for i, line := range strings.Split(strings.TrimRight(strategies.Source(info.File), "\n"), "\n") {
		a.say("%s", strings.TrimRight(fmt.Sprintf("%4d  %s", i+1, line), " "))
	}
}
