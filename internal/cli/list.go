package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/strategies"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "list [locks|stories|courses]",
		ValidArgsFunction: first(fixed(listed)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "%q is one word too many", args[1])
			}
			if len(args) == 1 && !slices.Contains(listed, args[0]) {
				return usage(cmd, "%q cannot be listed; %s", args[0], lang.Fit(args[0], listed))
			}
			what := args
			if len(what) == 0 {
				what = listed
			}
			if asJSON {
				return a.object(a.catalogue(what), "  ")
			}
			a.list(what...)
			return nil
		},
	}
	takes(cmd, "json", &asJSON)
	return cmd
}

// listed are the arguments of list.
var listed = []string{"locks", "stories", "courses"}

func (a *app) list(what ...string) {
	list := a.catalogue(what)
	for i, of := range what {
		if i > 0 {
			a.say("")
		}
		switch of {
		case "locks":
			a.say("Locks:")
			for _, l := range list.Locks {
				a.say("  %-22s %s", l.ID, l.Name)
			}
		case "stories":
			a.say("Stories:")
			for _, s := range list.Stories {
				a.say("  %-22s %s", s.Lock, s.Name)
			}
		case "courses":
			a.say("Courses:")
			for _, c := range list.Courses {
				a.say("  %-22s %s", c.ID, c.Title)
			}
		}
	}
}

// A catalogue is the output of list --json.
type catalogue struct {
	Schema  int         `json:"schema"`
	Locks   []lockRow   `json:"locks,omitempty"`
	Stories []storyRow  `json:"stories,omitempty"`
	Courses []courseRow `json:"courses,omitempty"`
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

func (a *app) catalogue(what []string) (list catalogue) {
	list.Schema = 1
	if slices.Contains(what, "locks") {
		for _, l := range strategies.Catalogue() {
			list.Locks = append(list.Locks, lockRow{l.ID, a.book.Lock(l.ID).Name, l.File, l.Nodes, l.Source, l.Fix})
		}
	}
	if slices.Contains(what, "stories") {
		for _, s := range taught() {
			list.Stories = append(list.Stories, storyRow{s.Name, s.Title(a.book), s.Strategy(), len(s.Steps), s.Path})
		}
	}
	if slices.Contains(what, "courses") {
		list.Courses = a.courses()
	}
	return list
}
