package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/atomicfile"
	"lockstep/export"
	"lockstep/message"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

type exportFlags struct {
	output string
	force  bool
	step   stepNumber
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export WHAT",
		Short: "Write a run as a page, a picture, Markdown or a diagram",
		Long: `Export plays a run and writes it into a file to hand out. WHAT is a story, by
its name or as a file whose name ends in .txt, or a token.

The ending of the file says as what:

  .html  one page that needs nothing else: step by step with keys, clicks and
         swipes, questions before what they ask about, and all steps below
         each other where it is printed or JavaScript is off
  .svg   a picture for a slide: the whole run, or with --step one step of it
  .md    a hand-out: narration, tables, questions, the answers at the end
  .mmd   a Mermaid sequence diagram

Without --output it is WHAT.html in the working directory. The file's name is
printed. A file that is there already is left alone, unless --force is given.`,
		Example: `  lockstep export a_late_del
  lockstep export a_late_del -o a_late_del.md --lang zh
  lockstep export a_late_del -o slide.svg --step 27 --theme dark
  lockstep export ./my_story.txt -o my_story.html --force
  lockstep export ls1.aGk1c... -o run.html`,
		Args:              exactly(message.New("a story or a token")),
		ValidArgsFunction: first(a.completeStory),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.export(cmd, args[0], f) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write `FILE`, whose ending says as what")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace a file that is there already")
	cmd.Flags().Var(&f.step, "step", "draw step `N` only, as a picture")
	a.takesGuests(cmd)
	return cmd
}

func (a *app) export(cmd *cobra.Command, what string, f exportFlags) error {
	if f.output == "" {
		f.output = exportName(what)
	}
	if err := a.mayWrite(cmd, f); err != nil {
		return err
	}
	document, err := a.document(cmd, what)
	if err != nil {
		return err
	}
	return a.writeDocument(cmd, document, f)
}

// exportName is the file for what is exported, if none is named.
func exportName(what string) string {
	name := strings.TrimSuffix(filepath.Base(what), storyEnding)
	if isToken(what) {
		name = "run"
	}
	return name + ".html"
}

// aToken is what begins as a token does, of whichever version.
var aToken = regexp.MustCompile(`^ls[0-9]+\.`)

func isToken(what string) bool { return aToken.MatchString(what) }

// exportEndings are all that there are.
var exportEndings = []string{".html", ".svg", ".md", ".mmd"}

// mayWrite refuses a file of no known kind, and one that is there already, before
// anything is played.
func (a *app) mayWrite(cmd *cobra.Command, f exportFlags) error {
	ending := strings.ToLower(filepath.Ext(f.output))
	if ending == ".png" {
		return usage(cmd, "--output: no .png is drawn, because no font is part of this program; .svg would fit, which any browser shows and saves as a picture")
	}
	if _, err := formatOf(cmd, exportEndings, ending); err != nil {
		return err
	}
	if f.step > 0 && ending != ".svg" {
		return usage(cmd, "--step is for an .svg; a page opens at a step by #step-%d behind its name", int(f.step))
	}
	dir := filepath.Dir(f.output)
	switch info, err := os.Stat(f.output); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return usage(cmd, "--output: there is no folder %s", dir)
		}
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return usage(cmd, "--output: %s is a folder; a file in it would fit", f.output)
	case !f.force:
		return usage(cmd, "%s is there already; --force replaces it", f.output)
	}
	return nil
}

func formatOf(cmd *cobra.Command, endings []string, ending string) (int, error) {
	for i, e := range endings {
		if e == ending {
			return i, nil
		}
	}
	return 0, usage(cmd, "--output: a name that ends in %s would fit", message.Names(endings))
}

// document plays what is to be exported.
func (a *app) document(cmd *cobra.Command, what string) (export.Document, error) {
	told := export.Told{Lang: a.lang, Source: a.sourceOf}
	if isToken(what) {
		return a.replayedLesson(cmd, told, what)
	}
	story, err := findStory(cmd.Context(), what)
	if err != nil {
		return nil, err
	}
	result, err := play(cmd.Context(), story, story.Strategy())
	if err != nil {
		return nil, err
	}
	return await(cmd.Context(), func() (export.Document, error) {
		return export.NewLesson(cmd.Context(), told, story, result)
	})
}

func (a *app) replayedLesson(cmd *cobra.Command, told export.Told, token string) (export.Document, error) {
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return nil, usage(cmd, "%w", err)
	}
	return await(cmd.Context(), func() (export.Document, error) {
		result, err := scenarios.Replay(cmd.Context(), config, schedule)
		if err != nil {
			return nil, unplayed(cmd, err)
		}
		return a.lessonOf(cmd.Context(), told, result)
	})
}

// lessonOf is a run that has no name, told.
func (a *app) lessonOf(ctx context.Context, told export.Told, r *scenarios.Result) (*export.Lesson, error) {
	return export.Replayed(ctx, told, "run", a.book.Text("replay"), "", r)
}

func (a *app) writeDocument(cmd *cobra.Command, document export.Document, f exportFlags) error {
	formats := document.Formats()
	endings := make([]string, len(formats))
	for i, format := range formats {
		endings[i] = format.Ending
	}
	i, err := formatOf(cmd, endings, strings.ToLower(filepath.Ext(f.output)))
	if err != nil {
		return err
	}
	text, err := formats[i].Write(export.Options{Step: int(f.step), Dark: a.theme == "dark"})
	if err != nil {
		return usage(cmd, "%w", err)
	}
	if err := atomicfile.Write(f.output, text, 0o644); err != nil {
		return err
	}
	a.say("%s", f.output)
	return nil
}
