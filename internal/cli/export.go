package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/export"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

type exportFlags struct {
	output, chapter string
	print           bool // to standard output
	force, scroll   bool
	step            count
	matrix          matrixFlags
}

func (a *app) exportCommand() *cobra.Command {
	f := exportFlags{matrix: newMatrixFlags(), step: stepNumber()}
	cmd := withArgument("export WHAT", lang.New("a story, a token, a lock, a course or matrix"), a.completeExport,
		func(cmd *cobra.Command, what string) error { return a.export(cmd, what, f) })
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "")
	takes(cmd, "force", &f.force, "scroll", &f.scroll, "step", &f.step, "chapter", &f.chapter, "locks", &f.matrix.locks)
	f.matrix.takes(cmd, "hazards fresh")
	a.takesGuests(cmd)
	return cmd
}

func (a *app) export(cmd *cobra.Command, what string, f exportFlags) error {
	if f.output == "" {
		f.output = exportName(what)
	}
	if f.output == toStdout {
		f.output, f.print = exportName(what), true
	}
	if err := a.mayWrite(cmd, f); err != nil {
		return err
	}
	document, err := a.document(cmd, what, f)
	if err != nil {
		return err
	}
	return a.writeDocument(cmd.Context(), document, f)
}

// toStdout is the output that is no file.
const toStdout = "-"

// exportName is the default file name.
func exportName(what string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(what), storyEnding), ".zip")
	if isToken(what) {
		name = "run"
	}
	return name + ".html"
}

// aToken matches the beginning of a token of any version.
var aToken = regexp.MustCompile(`^lst?[0-9]+\.`)

func isToken(what string) bool { return aToken.MatchString(what) }

// exportEndings lists all formats' extensions.
var exportEndings = []string{".html", ".svg", ".md", ".mmd"}

// mayWrite refuses an unknown extension and an existing file before anything is
// played.
func (a *app) mayWrite(cmd *cobra.Command, f exportFlags) error {
	ending := strings.ToLower(filepath.Ext(f.output))
	if err := retirement(cmd, nil, ending); err != nil {
		return usage(cmd, "--output: %w", err)
	}
	if ending == ".png" {
		return usage(cmd, "--output: no .png is drawn, because no font is part of this program; use .svg, which any browser shows and saves as a picture")
	}
	if _, err := formatOf(exportEndings, ending); err != nil {
		return err
	}
	if f.step.value > 0 && ending != ".svg" {
		return usage(cmd, "--step is for an .svg; a page opens at a step by #step-%d behind its name", f.step.value)
	}
	if err := only(cmd, ending == ".html", lang.New("an .html"), "scroll"); err != nil {
		return err
	}
	err := only(cmd, !f.print, lang.New("a file"), "force")
	if f.print || err != nil {
		return err
	}
	switch info, err := os.Stat(f.output); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil // it is written to
	case cmd.Flags().Lookup("force") == nil:
		return usage(cmd, "%s is there already; use another name", f.output)
	case !f.force:
		return usage(cmd, "%s is there already; --force replaces it", f.output)
	}
	return nil
}

func formatOf(endings []string, ending string) (int, error) {
	if i := slices.Index(endings, ending); i >= 0 {
		return i, nil
	}
	return 0, refused(lang.Errorf("--output: use a name that ends in %s", lang.Names(endings)), "lockstep export --help")
}

// formatFor is the format of the output, if the document has it.
func formatFor(document export.Document, f exportFlags) (format export.Format, err error) {
	formats := document.Formats()
	endings := make([]string, len(formats))
	for i, format := range formats {
		endings[i] = format.Ending
	}
	i, err := formatOf(endings, strings.ToLower(filepath.Ext(f.output)))
	return formats[i], err
}

func (a *app) writeDocument(ctx context.Context, document export.Document, f exportFlags) error {
	format, err := formatFor(document, f)
	if err != nil {
		return err
	}
	text, err := format.Write(export.Options{Step: f.step.value, Scroll: f.scroll, Dark: a.theme == "dark"})
	if err != nil {
		return refused(err, "lockstep export --help")
	}
	if f.print {
		return a.write(ctx, toStdout, text)
	}
	if err := a.write(ctx, f.output, text); err != nil {
		return err
	}
	a.say("%s", f.output)
	return nil
}

// write writes a file that the command line names, after what was printed. It can be a pipe
// that nobody reads.
func (a *app) write(ctx context.Context, file string, text []byte) error {
	if file == toStdout {
		_, err := a.out.Write(text)
		return err
	}
	_, err := await(ctx, func() (any, error) { return nil, cmp.Or(a.out.Flush(), files.Write(file, text, 0o644)) })
	return err
}
