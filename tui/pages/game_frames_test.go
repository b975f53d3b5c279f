package pages

import (
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
)

// TestReachedFrames: the goal reached, the long way, and beside the shortest.
func TestReachedFrames(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		keys       []string
	}{
		{"level_reached_en", "en", nil}, {"level_reached_zh", "zh", []string{"esc"}},
		{"level_ways", "en", []string{"d"}}, {"level_ways_chinese", "zh", []string{"d"}},
	} {
		goldenFrames(t, c.name, func(w, h int) *Shell {
			m := atLevel(t, Options{Explorer: explorer(t)}, "oversell", w, h)
			longWay(t, m)
			m.book, m.lang = load(t, c.lang), c.lang
			m.labels = lesson.LabelsOf(m.book)
			press(m, c.keys...)
			return m
		})
	}
}

func load(t *testing.T, lang string) *prose.Book {
	t.Helper()
	book, err := prose.Load(lang)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func TestGameFrames(t *testing.T) {
	crash, overrun := parse(t, crashStory), parse(t, overrunStory)
	for _, c := range []struct {
		name  string
		lang  string
		level string // or else the story, at a row
		o     Options
		keys  []string
	}{
		{"game_taken", "en", "", Options{Story: crash, At: 2}, []string{"t"}},
		{"game_found", "en", "", Options{Story: crash, At: 2}, []string{"t", "enter"}},
		{"game_blocked", "en", "", Options{Story: crash, At: 4}, []string{"t", "c"}},
		{"game_branches", "en", "", Options{Story: overrun, At: 3}, []string{"t", "down", "enter", "enter", "h", "h", "up", "enter", "h", "down", "down", "enter", "c", "tab"}},
		{"game_source", "en", "", Options{Story: overrun, At: 3}, []string{"t", "tab", "tab"}},
		{"game_help", "en", "", Options{Story: crash, At: 2}, []string{"t", "?"}},
		{"game_chinese", "zh", "", Options{Story: crash, At: 2}, []string{"t"}},
		{"levels", "en", "", Options{}, []string{"b"}},
		{"levels_chinese", "zh", "", Options{}, []string{"b", "down"}},
		{"level_start", "en", "turned-clock", Options{}, nil},
		{"level_hint", "en", "foreign-del", Options{}, []string{"i", "i"}},
		{"level_given_up", "en", "oversell", Options{}, []string{"x", "l", "l"}},
		{"level_shown", "en", "oversell", Options{}, []string{"x", "G", "enter"}},
		{"level_nobody", "en", "fenced-write", Options{}, []string{"x"}},
		{"level_dead_end", "en", "fenced-write", Options{}, strings.Fields(strings.Repeat("enter ", 40))},
		{"level_chinese", "zh", "oversell", Options{}, []string{"i", "enter"}},
		{"level_claimed", "en", "fenced-write", Options{}, []string{"o"}},
		{"level_claimed_wrongly", "zh", "oversell", Options{}, []string{"o"}},
		{"level_chinese_nobody", "zh", "fenced-write", Options{}, []string{"x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				o := c.o
				o.Lang, o.Explorer = c.lang, explorer(t)
				if c.level == "" {
					m := start(t, o, w, h)
					press(m, c.keys...)
					return m
				}
				m := atLevel(t, o, c.level, w, h)
				press(m, c.keys...)
				return m
			})
		})
	}
}
