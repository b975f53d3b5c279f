package cli

import (
	"context"

	"github.com/spf13/cobra"

	"lockstep/internal/lang"
	"lockstep/scenarios"
)

func (a *app) testCommand() *cobra.Command {
	var update bool
	var set []string
	cmd := withArgument("test DIR", lang.New("a folder"), completeFolder, func(cmd *cobra.Command, dir string) error {
		return a.testFolder(cmd.Context(), dir, set, update)
	})
	takes(cmd, "update", &update)
	setFlag(cmd, &set)
	return cmd
}

func (a *app) testFolder(ctx context.Context, dir string, set []string, update bool) error {
	stories, err := scenarios.ReadDir(dir)
	// Errors of files are joined; any other error is about the folder.
	_, joined := err.(interface{ Unwrap() []error })
	if err != nil && !joined {
		return refused(err, "lockstep test --help")
	}
	failed, unread := 0, len(lang.Each(err))
	for _, problem := range lang.Each(err) {
		a.say("FAIL %v", problem)
	}
	for _, s := range stories {
		verdict, err := testStory(ctx, s, set, update)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			verdict = lang.New("FAIL %v", err)
		}
		a.say("%v", verdict)
		if err := a.out.Flush(); err != nil {
			return err
		}
	}
	return summary(len(stories)+unread, failed, unread)
}

func summary(stories, failed, unread int) error {
	switch {
	case unread > 0:
		return refused(lang.Errorf("%d of %d stories failed, and %d could not be read", failed, stories, unread), "")
	case failed > 0:
		return unexpected(lang.Errorf("%d of %d stories failed", failed, stories))
	}
	return nil
}

// testStory returns a line about a story that passes.
func testStory(ctx context.Context, s *scenarios.Story, set []string, update bool) (line lang.Message, err error) {
	if s, err = s.With(set...); err != nil {
		return line, lang.Errorf("--set: %w", err)
	}
	result, err := play(ctx, s, s.Strategy())
	if err != nil {
		return line, err
	}
	// The author mends a lesson's texts; --update does not.
	if wrong := result.Mispredicted(s); wrong != nil {
		return line, wrong
	}
	if err := scenarios.CheckChoices(ctx, s); err != nil {
		return line, err
	}
	mismatch := result.Mismatch(s)
	switch {
	case mismatch == nil:
		return lang.New("ok   %s", s.Path), nil
	case !update:
		return line, mismatch
	}
	if err := s.Update(result); err != nil {
		return line, lang.Errorf("%s: not updated: %w", s.Path, err)
	}
	return lang.New("new  %s", s.Path), nil
}
