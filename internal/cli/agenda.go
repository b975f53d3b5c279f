package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"lockstep/internal/course"
	"lockstep/internal/export"
	"lockstep/internal/lang"
)

// Anything shorter or longer is a typing mistake.
const leastMinutes, mostMinutes = 5, 480

// usualMinutes is the length of a course that names none.
const usualMinutes = 60

func (a *app) agendaCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "agenda [MINUTES]",
		Short: "Propose chapters of a course for a class of so many minutes",
		Long: `Agenda proposes which chapters of a course to show in so many minutes, and when:
first core chapters, then extras, in the order of the course. It lists the
chapters that do not fit, with the reason. Every 100 minutes have a break.

With --output it writes a Markdown hand-out for the trainer: times, what to show
and with which commands, questions, and on separate pages answers and notes.
lockstep --present shows the course.`,
		Example: `  lockstep agenda 45 --course redis-locks-in-an-hour
  lockstep agenda 90 --course what-redlock-assumes -o agenda.md
  lockstep agenda 180`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "%q is one word too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: first(fixed([]string{"45", "90", "180"})),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.agenda(cmd, args, f) },
	}
	cmd.Flags().StringVar(&a.courseAt, "course", "", "use this course: its `FOLDER`, a zip of it, or the name of one that comes with Lockstep")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write a hand-out into `FILE`, whose name ends in .md")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	complete(cmd, "course", completeCourse)
	return cmd
}

func (a *app) agenda(cmd *cobra.Command, args []string, f exportFlags) error {
	c, err := a.courseOrUsual()
	if err != nil {
		return err
	}
	minutes, err := minutesOf(cmd, args, c)
	if err != nil {
		return err
	}
	agenda, err := c.Agenda(minutes)
	if err != nil {
		return usage(cmd, "%w", err)
	}
	h, err := export.NewHandOut(a.lang, c, a.courseAt, agenda)
	if err != nil {
		return err
	}
	say := func() error {
		a.sayAgenda(h, agenda)
		return nil
	}
	return a.hand(cmd, f, say, func() ([]byte, error) { return h.Markdown(cmd.Context()) })
}

// minutesOf is the length of the talk: the given one, or the course's.
func minutesOf(cmd *cobra.Command, args []string, c *course.Course) (int, error) {
	if len(args) == 0 {
		if c.Minutes > 0 {
			return c.Minutes, nil
		}
		return usualMinutes, nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return 0, usage(cmd, "%q is not a number of minutes; use 45, 90 or 180", args[0])
	}
	if n < leastMinutes || n > mostMinutes {
		return 0, usage(cmd, "%d minutes: from %d to %d fit", n, leastMinutes, mostMinutes)
	}
	return n, nil
}

// sayAgenda prints an agenda as a table, and below it what it leaves out.
func (a *app) sayAgenda(h *export.HandOut, agenda course.Agenda) {
	a.say("%s", h.Title())
	a.say("")
	for _, s := range agenda.Slots {
		about := " "
		if s.Guessed {
			about = "~"
		}
		number := ""
		if s.Chapter >= 0 {
			number = strconv.Itoa(s.Chapter + 1)
		}
		a.say("%5s  %s%3d  %2s  %s", export.Clock(s.From), lang.Word(about), s.Minutes, number, h.Name(s))
	}
	if agenda.Guessed {
		a.say("")
		a.say("%s", a.book.Text("agenda_guessed"))
	}
	if len(agenda.Left) > 0 {
		a.say("")
		a.say("%s:", a.book.Text("agenda_left"))
		for _, l := range agenda.Left {
			a.say("  %s", h.Left(l))
		}
	}
}
