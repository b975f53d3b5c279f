package workshop

import (
	"context"
	"net/http"
	"strings"
	"time"

	"lockstep/internal/course"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/pages"
)

// This file plays what participants send: nothing counts before that.

const (
	playTime = 5 * time.Second // of one solution or story
	waitTime = 9 * time.Second // with playTime, less than a page waits for an answer
	maxMoves = 500
)

// turn waits until there is room to play something.
func (s *Server) turn(ctx context.Context) (context.Context, func(), error) {
	late := time.NewTimer(waitTime)
	defer late.Stop()
	select {
	case s.judges <- struct{}{}:
		ctx, cancel := context.WithTimeout(ctx, playTime)
		return ctx, func() { cancel(); <-s.judges }, nil
	case <-late.C:
		return nil, nil, refuse(http.StatusServiceUnavailable, "many are handed in right now; try again")
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// alone has a participant send one thing at a time to be played, so that nobody takes the
// turns of all.
func (s *Server) alone(who int) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.room.people[who]
	if p.plays {
		return nil, refuse(http.StatusTooManyRequests, "what you have sent before is still being played")
	}
	p.plays = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		p.plays = false
	}, nil
}

// levelsOf are the levels of a course that can be played, by id.
func levelsOf(c *course.Course) map[string]*scenarios.Level {
	list, levels := c.Playable(), map[string]*scenarios.Level{}
	for i := range list {
		levels[list[i].ID] = &list[i]
	}
	return levels
}

// played plays a token as a solution of a level and returns how many moves it has.
func (s *Server) played(ctx context.Context, id, token string) (int, error) {
	level := s.levels[id]
	if level == nil {
		return 0, refuse(http.StatusBadRequest, "there is no level %q", history.Brief(id))
	}
	config, schedule, err := history.ParseToken(strings.TrimSpace(token))
	if err != nil {
		return 0, refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	if history.Token(config, nil) != history.Token(level.Config, nil) {
		return 0, refuse(http.StatusUnprocessableEntity, "the token is of another world than the level's")
	}
	if len(schedule) > maxMoves {
		return 0, refuse(http.StatusUnprocessableEntity, "%d moves; at most %d fit", len(schedule), maxMoves)
	}
	ctx, done, err := s.turn(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	reached, err := level.ReachedBy(ctx, schedule)
	switch {
	case err != nil:
		return 0, refuse(http.StatusUnprocessableEntity, "the moves cannot be played in this level: %v", err)
	case !reached:
		return 0, refuse(http.StatusUnprocessableEntity, "the moves do not reach the goal of the level")
	}
	return len(schedule), nil
}

// placeOf plays a story's text, or a token with or without a step, and returns the place
// where the trainer's pages show it.
func (s *Server) placeOf(ctx context.Context, text, language string) (string, error) {
	ctx, done, err := s.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	var l scenarios.Lesson
	place := pages.ParsePlace(strings.TrimSpace(text))
	if strings.HasPrefix(place.Name, "ls") {
		l, err = scenarios.FromToken(ctx, place.Name)
	} else if l.Story, err = scenarios.Parse("handed_in", "handed_in", text); err == nil {
		l.Lang = language
		place = pages.Place{Name: l.Token()}
	}
	if err == nil {
		_, err = scenarios.Run(ctx, l.Story)
	}
	if err != nil {
		return "", refuse(http.StatusUnprocessableEntity, "it cannot be played: %v", err)
	}
	return place.String(), nil
}
