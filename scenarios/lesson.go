package scenarios

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A Lesson is a story opened at one of its steps. As a token it carries the captions
// and questions to somebody who does not have the file.
type Lesson struct {
	Story *Story
	Lang  string // the language to show it in
	At    int    // the step, from 1
}

// lessonPrefix marks the token of a lesson, as "ls1." marks that of a run: see
// history.Token.
const lessonPrefix = "lst1."

// Token packs the lesson into one line: name, language, step, and the story without
// its expected output. ParseLesson reads it back, whatever is missing or does not fit: the
// story's name may be that of a file.
func (l Lesson) Token() string {
	return history.Pack(lessonPrefix, strings.Join([]string{lessonName(l.Story.Name), cmp.Or(l.Lang, "en"), strconv.Itoa(max(1, l.At)), l.Story.withoutOutput()}, "\n"))
}

// IsLesson reports whether a token is that of a lesson, not of a run.
func IsLesson(token string) bool { return strings.HasPrefix(strings.TrimSpace(token), lessonPrefix) }

var lessonLang = regexp.MustCompile(`^[a-z]{2}$`)

const maxLessonName = 200 // characters

// lessonName returns a name as a token has it.
func lessonName(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\`, r) {
			runes[i] = '_'
		}
	}
	return cmp.Or(string(runes[:min(len(runes), maxLessonName)]), "_")
}

// ParseLesson reads a token. Tokens come from anywhere, so size and name are checked.
func ParseLesson(token string) (Lesson, error) {
	text, err := history.Unpack(lessonPrefix, token)
	if err != nil {
		return Lesson{}, err
	}
	refuse := func(why string, args ...any) (Lesson, error) {
		return Lesson{}, lang.Errorf("replay token: %w", history.Briefly{Err: lang.Errorf(why, args...)})
	}
	parts := strings.SplitN(text, "\n", 4)
	if len(parts) < 4 {
		return refuse("it holds no story")
	}
	name := parts[0]
	if name != lessonName(name) {
		return refuse("%q is not the name of a story", name)
	}
	at, err := strconv.Atoi(parts[2])
	if err != nil || at < 1 || at > maxStory {
		return refuse("%q is not a step of a story", parts[2])
	}
	if !lessonLang.MatchString(parts[1]) {
		return refuse("%q is not a language; use two small letters, such as en", parts[1])
	}
	s, err := Parse(name+".txt", name, parts[3])
	if err != nil {
		return refuse("its story: %w", err)
	}
	return Lesson{s, parts[1], at}, nil
}

// FromToken returns the story of a token of either kind.
func FromToken(ctx context.Context, token string) (Lesson, error) {
	if IsLesson(token) {
		return ParseLesson(token)
	}
	config, schedule, err := history.ParseToken(token)
	if err != nil {
		return Lesson{}, err
	}
	story, err := FromSchedule(ctx, "a_token", config, schedule)
	if err != nil {
		return Lesson{}, lang.Errorf("the token does not fit this program: %w", err)
	}
	return Lesson{Story: story}, nil
}

// withoutOutput is the story's text without its expected output.
func (s *Story) withoutOutput() string {
	var lines []string
	at := 0
	for _, step := range s.Steps {
		end := step.from
		if !step.bare {
			end-- // the dashes
		}
		lines = append(lines, s.lines[at:end]...)
		at = step.to
	}
	return joined(append(lines, s.lines[at:]...))
}
