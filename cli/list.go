package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"lockstep/strategies"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [locks|stories]",
		Short: "List the locks and the stories",
		Long:  `List prints the locks in teaching order, and the stories with the lock that each is about.`,
		Example: `  lockstep list
  lockstep list stories
  lockstep list locks --json`,
		ValidArgsFunction: first(fixed([]string{"locks", "stories"})),
		RunE: func(cmd *cobra.Command, args []string) error {
			locks, stories := true, true
			switch {
			case len(args) > 1:
				return usage(cmd, "%q is one word too many", args[1])
			case len(args) == 1 && args[0] == "locks":
				stories = false
			case len(args) == 1 && args[0] == "stories":
				locks = false
			case len(args) == 1:
				return usage(cmd, "%q cannot be listed; locks or stories would fit", args[0])
			}
			if asJSON {
				return a.listJSON(locks, stories)
			}
			return a.list(locks, stories)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) list(locks, stories bool) error {
	if locks {
		a.say("Locks:")
		for _, info := range strategies.Catalogue {
			a.say("  %-22s %s", info.ID, a.book.Lock(info.ID).Name)
		}
	}
	if locks && stories {
		a.say("")
	}
	if stories {
		all, err := taught()
		if err != nil {
			return err
		}
		a.say("Stories:")
		for _, s := range all {
			a.say("  %-22s %s", s.Strategy(), s.Name)
		}
	}
	return nil
}

// A catalogue is the answer of list --json; what was not asked for is absent.
type catalogue struct {
	Schema  int        `json:"schema"`
	Locks   []lockRow  `json:"locks,omitempty"`
	Stories []storyRow `json:"stories,omitempty"`
}

type lockRow struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	File      string   `json:"file"`
	Nodes     int      `json:"nodes"`
	Tutorials []string `json:"tutorials,omitempty"`
	Fix       string   `json:"fix,omitempty"`
}

type storyRow struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Lock  string `json:"lock"`
	Steps int    `json:"steps"`
	File  string `json:"file"`
}

func (a *app) listJSON(locks, stories bool) error {
	list := catalogue{Schema: 1}
	if locks {
		for _, l := range strategies.Catalogue {
			list.Locks = append(list.Locks, lockRow{l.ID, a.book.Lock(l.ID).Name, l.File, l.Nodes, l.Source, l.Fix})
		}
	}
	if stories {
		all, err := taught()
		if err != nil {
			return err
		}
		for _, s := range all {
			list.Stories = append(list.Stories, storyRow{s.Name, s.Title(), s.Strategy(), len(s.Steps), s.Path})
		}
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
