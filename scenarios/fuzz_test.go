package scenarios

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// maxPlayed is the longest text that a fuzz target plays. Tests of their own bound
// longer ones.
const maxPlayed = 4 << 10

// FuzzStory plays every text that parses. A run ends with an error at a line of the
// story, or its token leads to the same events.
func FuzzStory(f *testing.F) {
	for _, s := range testkit.Some(f, Stories(), 22, 4) {
		f.Add(s.bare())
	}
	f.Add("world strategy=redlock clients=A,B ttl=2ms\n----\n\ncheck\n----\n")
	f.Add("world strategy=setnx clients=A,B wait=1s poll=1ms rounds=3\n----\n\nrun B for=10s\n----\n\nreplay strategy=fenced\n----\n")
	f.Add("world strategy=redlock clients=A,B\n----\n\npredict \"?\" votes A = 5\npredict \"?\" removed A\npredict \"?\" holder\nrun A\n----\n\npredict \"?\" recovers\ncheck\n----\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f.txt", "f", text)
		if err != nil || len(text) > maxPlayed {
			return
		}
		r, err := Run(t.Context(), s)
		if err != nil {
			var mistake *Error
			if !errors.As(err, &mistake) || mistake.Line < 1 || mistake.Err == nil || len(err.Error()) > 2000 {
				t.Errorf("error %#v has no place, no words or too many", err)
			}
			return
		}
		for _, b := range r.Beats {
			if slices.ContainsFunc(b.written(), func(line string) bool { return strings.ContainsAny(line, "\n\r\x1b") }) {
				t.Errorf("%q prints what is no line", b.Step.Text)
			}
		}
		_ = r.Mispredicted(s)
		samePlayed(t, r)
	})
}

// bare is a story's text without captions and expected output.
func (s *Story) bare() string {
	var b strings.Builder
	for _, step := range s.Steps {
		b.WriteString(step.Text + "\n" + divider + "\n\n")
	}
	return b.String()
}

// samePlayed checks a run with the second judge and replays its token.
func samePlayed(t *testing.T, r *Result) {
	t.Helper()
	judged(t, r)
	token := history.Token(r.History.Config, r.History.Schedule)
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		t.Fatalf("%s cannot be read: %v", token, err)
	}
	again, err := Replay(t.Context(), config, schedule)
	if err != nil {
		t.Fatalf("%s cannot be played: %v", token, err)
	}
	var was, is bytes.Buffer
	testkit.OK(t, errors.Join(history.WriteJSON(&was, r.History), history.WriteJSON(&is, again.History)))
	if !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Errorf("%s leads to other events", token)
	}
}

// FuzzReplay plays what a token can hold. A run can be replayed, and a learner can
// look at it and continue it.
func FuzzReplay(f *testing.F) {
	for _, s := range testkit.Some(f, Stories(), 11, 4) {
		r := testkit.Must(Run(f.Context(), s))(f)
		f.Add(r.History.Config.String(), r.History.Schedule.String())
	}
	f.Add("strategy=setnx wait=1s poll=1ms rounds=3 nest=2", "A*4 A.crash r1.restart*20 B*20")
	f.Fuzz(func(t *testing.T, where, picks string) {
		config, err := history.ParseConfig(where)
		if err != nil || len(where)+len(picks) > maxPlayed {
			return
		}
		schedule, err := history.ParseSchedule(picks)
		if err != nil || len(schedule) > maxPlayed {
			return
		}
		r, err := Replay(t.Context(), config, schedule)
		if err != nil {
			if _, known := SubjectOf(config.Strategy); known == nil && !errors.Is(err, world.ErrNotEnabled) && !errors.Is(err, world.ErrTooLong) {
				t.Errorf("%v is no error that a token can cause", err)
			}
			return
		}
		samePlayed(t, r)
		if p, err := Look(t.Context(), config, schedule, nil); err != nil || len(p.Moves) == 0 {
			t.Errorf("a learner cannot go on: %v", err)
		}
	})
}
