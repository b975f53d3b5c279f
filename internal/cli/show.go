package cli

import (
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
		if err == nil && !onlySource {
			err = a.card(info)
		}
		if err == nil && !onlyCard && !onlySource {
			a.say("")
		}
		if err == nil && !onlyCard {
			err = a.source(info)
		}
		return err
	})
	takes(cmd, "source", &onlySource, "card", &onlyCard)
	return cmd
}

func (a *app) card(info strategies.Info) error {
	stories, err := scenarios.Stories()
	if err != nil {
		return err
	}
	card := a.book.Lock(info.ID)
	a.say("%s: %s", info.ID, card.Name)
	for _, p := range [][2]string{
		{"claims", card.Claims}, {"works", card.Works}, {"breaks", card.Breaks},
		{"costs", card.Costs}, {"fix", card.Fix}, {"seen", card.Seen},
	} {
		a.fact(a.book.Text(p[0]), p[1])
	}
	a.fact(a.in(lang.New("Fixed by")), info.Fix)
	a.fact(a.in(lang.New("Tutorials")), a.in(lang.Names(info.Source)))
	for _, s := range stories {
		if s.Strategy() == info.ID {
			a.say("Story: %s", s.Name)
		}
	}
	return nil
}

func (a *app) source(info strategies.Info) error {
	text, err := strategies.Source(info.File)
	if err != nil {
		return err
	}
	a.say("strategies/%s", info.File)
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		a.say("%s", strings.TrimRight(pad(i+1)+"  "+line, " "))
	}
	return nil
}
