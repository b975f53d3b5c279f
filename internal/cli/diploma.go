package cli

import (
	"github.com/spf13/cobra"

	"lockstep/internal/export"
	"lockstep/internal/lang"
	"lockstep/internal/progress"
)

func (a *app) diplomaCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "diploma",
		Short: "Say what you have achieved in a course",
		Long: `Diploma sums up your progress in a course as Markdown: chapters, first answers,
what you have broken and in how many moves beside the fewest that any schedule
takes, and what you have rightly said nobody can break. The walkthrough shows it
too: D in the course.`,
		Example: `  lockstep diploma
  lockstep diploma --course what-redlock-assumes -o diploma.md`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.diploma(cmd, f) },
	}
	cmd.Flags().StringVar(&a.courseAt, "course", "", "use this course: its `FOLDER`, a zip of it, or the name of one that comes with Lockstep")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write it into `FILE`, whose name ends in .md")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	complete(cmd, "course", completeCourse)
	return cmd
}

func (a *app) diploma(cmd *cobra.Command, f exportFlags) error {
	c, err := a.courseOrUsual()
	if err != nil {
		return err
	}
	p, aside, err := progress.In(progress.Dir(c)).Load()
	if err != nil {
		return unexpected(err)
	}
	if aside != "" {
		return unexpected(lang.Errorf("the progress was damaged and is now %s", aside))
	}
	text, err := export.Diploma(a.lang, c, p)
	if err != nil {
		return err
	}
	say := func() error {
		_, err := a.out.Write(text)
		return err
	}
	return a.hand(cmd, f, say, func() ([]byte, error) { return text, nil })
}
