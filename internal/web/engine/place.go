package engine

import (
	"context"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/pages"
)

// find opens what an address's fragment names: a token, or a story, perhaps with
// @ and a step.
func (e *engine) find(ctx context.Context, place string) any {
	if place == "" {
		return nil
	}
	name, at, _ := strings.Cut(place, "@")
	step, _ := strconv.Atoi(at)
	stories, err := scenarios.Stories()
	if err != nil {
		return errorOf(err)
	}
	for _, s := range stories {
		if s.Name == name {
			return pages.Open{Story: s, At: max(1, step)}
		}
	}
	if scenarios.IsLesson(place) {
		l, err := scenarios.ParseLesson(place)
		if err != nil {
			return errorOf(err)
		}
		return pages.Open{Story: l.Story, At: l.At, Nameless: true}
	}
	config, schedule, err := history.ParseToken(place)
	if err != nil {
		return errorOf(err)
	}
	story, err := scenarios.FromSchedule(ctx, "a_token", config, schedule)
	if err != nil {
		return errorOf(lang.Errorf("the token does not fit this program: %w", err))
	}
	return pages.Open{Story: story, At: 1, Nameless: true}
}

// parse opens a pasted story.
func (e *engine) parse(text string) any {
	story, err := scenarios.Parse("pasted", "pasted", text)
	if err != nil {
		return errorOf(err)
	}
	return pages.Open{Story: story, At: 1, Nameless: true}
}
