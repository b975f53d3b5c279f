package cli

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/course"
	"lockstep/internal/export"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// This file finds and plays what export writes.

const theMatrix = "matrix"

// document finds what an argument names, and plays it.
func (a *app) document(cmd *cobra.Command, what string, f exportFlags) (export.Document, error) {
	told := export.Told{Lang: a.lang, Source: a.sourceOf}
	_, none := scenarios.Find(what)
	isStory, isMatrix := none == nil || strings.HasSuffix(what, storyEnding), what == theMatrix
	isCourse := !isStory && !isMatrix && !isToken(what)
	err := cmp.Or(
		only(cmd, isMatrix, lang.Quote(theMatrix), "locks", "hazards", "fresh"),
		only(cmd, isCourse, lang.New("a course"), "chapter"),
		only(cmd, !isCourse, lang.New("a story, a token or %s", theMatrix), "with"),
		only(cmd, !isMatrix && !isCourse, lang.New("a story or a token"), "scroll"),
	)
	switch {
	case err != nil:
		return nil, err
	case isMatrix:
		m := export.NewMatrix(told)
		if _, err := formatFor(m, f); err != nil { // before it takes its time
			return nil, err
		}
		return m, a.fillMatrix(cmd, told, m, f.matrix)
	case isStory:
		story, err := findStory(cmd.Context(), what)
		if err != nil {
			return nil, err
		}
		return exported(cmd, told, story)
	case !isCourse:
		return a.replayedLesson(cmd, told, what)
	}
	c, chapter, err := chapterOrCourse(what, f.chapter)
	if err == nil && chapter == "" && len(c.Chapters) > 1 { // a single chapter can be drawn
		_, err = formatFor(&export.Course{}, f)
	}
	if err != nil {
		return nil, err
	}
	return await(cmd.Context(), func() (export.Document, error) {
		defer a.eraseProgress()
		return export.NewCourse(cmd.Context(), told, c, chapter, func(done, total int) {
			a.progressLine(lang.New("%s %d of %d chapters", bar(done, total), done, total))
		})
	})
}

// exported plays a story and returns it as a lesson.
func exported(cmd *cobra.Command, told export.Told, story *scenarios.Story) (export.Document, error) {
	result, err := play(cmd.Context(), story, story.Strategy())
	if err != nil {
		return nil, err
	}
	return await(cmd.Context(), func() (export.Document, error) {
		return export.NewLesson(cmd.Context(), told, story, result)
	})
}

func (a *app) replayedLesson(cmd *cobra.Command, told export.Told, token string) (export.Document, error) {
	if scenarios.IsLesson(token) {
		l, err := scenarios.ParseLesson(token)
		if err != nil {
			return nil, usage(cmd, "%w", err)
		}
		return exported(cmd, told, l.Story)
	}
	result, err := replayed(cmd, token)
	if err != nil {
		return nil, err
	}
	return await(cmd.Context(), func() (export.Document, error) {
		return export.Replayed(cmd.Context(), told, "run", a.book.Text("replay"), "", result)
	})
}

// chapterOrCourse finds a chapter of the default course by its id, or else a
// course. It also returns the id of the chapter to export; "" for all chapters.
func chapterOrCourse(what, chapter string) (*course.Course, string, error) {
	usual := course.Usual()
	if of := chapters(usual); chapter == "" && slices.Contains(of, what) {
		return usual, what, nil
	} else if _, err := os.Stat(what); err != nil && !slices.Contains(course.Names(), what) {
		known := storyNames(append(append(of, course.Names()...), theMatrix))
		return nil, "", unknown(lang.Errorf("%q is not a story, a lock or a course", what), what, known, "lockstep export --help")
	}
	c, err := course.Open(what)
	if err != nil {
		return nil, "", refused(firstOf(err), "lockstep export --help")
	}
	if of := chapters(c); chapter != "" && !slices.Contains(of, chapter) {
		return nil, "", refused(lang.Errorf("--chapter: %q is not a chapter of %s; %s", chapter, what, lang.Fit(chapter, of)), "lockstep export --help")
	}
	return c, chapter, nil
}

func chapters(c *course.Course) (ids []string) {
	for _, ch := range c.Chapters {
		ids = append(ids, ch.ID)
	}
	return ids
}

// fillMatrix explores the matrix and replays every counterexample.
func (a *app) fillMatrix(cmd *cobra.Command, told export.Told, m *export.Matrix, f matrixFlags) error {
	job, err := a.matrixJob(cmd, f)
	if err != nil {
		return err
	}
	hazards := len(job.Hazards)
	cells, err := a.exploreMatrix(cmd, f, job)
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return interrupted("matrix", len(cells)-endedBy(explore.Interrupt, cells), len(cells))
	}
	a.sayCached(cells, true)
	table := matrix.NewTable(cells, hazards, a.in)
	m.Table, m.Notes = table.Markdown(), table.Notes
	for _, id := range table.Hazards {
		m.Hazards = append(m.Hazards, export.Hazard{ID: id, Says: a.book.EveryHazard(id)})
	}
	for i := range cells {
		if i%hazards == 0 {
			m.Rows = append(m.Rows, export.Row{Lock: cells[i].Config.Strategy})
		}
		cell, err := a.matrixCell(cmd, told, table, &cells[i])
		if err != nil {
			return err
		}
		row := &m.Rows[len(m.Rows)-1]
		row.Cells = append(row.Cells, cell)
	}
	return nil
}

func (a *app) matrixCell(cmd *cobra.Command, told export.Told, t *matrix.Table, c *explore.Report) (export.Cell, error) {
	verdict, reason := c.Verdict()
	cell := export.Cell{Text: t.Long(c), Title: a.book.List(c.Config.Strategy, c.Hazard), Verdict: verdict}
	switch worst := c.Worst(); {
	case verdict == explore.Violated && worst != nil: // in words; the code stands with the counterexample
		cell.Text = "✗ " + a.book.Text("harm_"+string(history.HarmOf(worst.Violation.Invariant)))
	case verdict == explore.Holds:
		cell.Text = "✓ " + cell.Text
	}
	if verdict == explore.Vacuous || verdict == explore.Inconclusive {
		cell.Title = a.in(reason)
	}
	for i := range c.Found {
		f := &c.Found[i]
		result, err := await(cmd.Context(), func() (*scenarios.Result, error) { return scenarios.Replay(cmd.Context(), c.Config, f.Schedule) })
		if err != nil {
			return cell, lang.Errorf("%s, %s: %w", c.Config.Strategy, c.Hazard, err)
		}
		cell.Found = append(cell.Found, export.NewCounterexample(told, c.Code(f), scenarios.VerdictIn(a.book, f.Violation), result))
	}
	return cell, nil
}

// exportWorst writes the worst counterexample as a page; see worstFound.
func (a *app) exportWorst(ctx context.Context, command string, reports []explore.Report, file string) error {
	worst, of, err := worstFound(command, reports)
	if err != nil {
		return err
	}
	result, err := scenarios.Replay(ctx, of.Config, worst.Schedule)
	if err != nil {
		return unexpected(err)
	}
	facts := prose.TextFacts{Invariant: a.book.InvariantName(worst.Violation.Invariant), Hazard: a.book.Hazard(of.Hazard).Name, N: len(worst.Schedule)}
	title, caption := a.book.Fill("found_story", facts), a.book.Fill("found_caption", facts)
	lesson, err := export.Replayed(ctx, export.Told{Lang: a.lang, Source: a.sourceOf}, "counterexample", title, caption, result)
	if err != nil {
		return err
	}
	return a.writeDocument(ctx, lesson, exportFlags{output: file})
}

// completeExport offers stories, chapters, courses and the matrix.
func (a *app) completeExport(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	names, _ := a.completeStory(cmd, args, word)
	for _, name := range append(append(chapters(course.Usual()), course.Names()...), theMatrix) {
		if strings.HasPrefix(name, word) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}
