package pages

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/tui/render"
)

// words are the words of the walkthrough itself, as opposed to those of a
// story, of Redis or of a lock's source.
func words(t testing.TB, lang string) map[string]string {
	t.Helper()
	b, err := prose.Load(lang)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for v, i := reflect.ValueOf(lesson.LabelsOf(b)), 0; i < v.NumField(); i++ {
		name := v.Type().Field(i).Name
		switch f := v.Field(i).Interface().(type) {
		case string:
			all[name] = f
		case func(int) string:
			all[name] = f(7)
		case func(int, int) string:
			all[name] = f(1, 7)
		}
	}
	for _, k := range everyKey {
		all["key "+k.does] = k.text(b)
	}
	for _, id := range []string{
		"steps", "paused", "playing", "source", "keys", "card_and_source", "running", "key_right", "key_left", "key_space",
		"key_enter", "matrix", "not_yet", "working", "key_waits", "violated", "cut_short", "found_shortest", "found_perhaps", "explored",
		"proven", "proven_nothing", "proven_says", "codes", "harms", "example", "assumptions", "meant_to_fail_before", "meant_to_fail_after", "no_violation", "choose_lock", "choose_story",
		"meant_to_work", "has_worked", "choose_chapter", "chapter_done", "chapter_begun", "chapter_new", "reset_done", "answer_yes", "answer_no",
		"part_claim", "part_work", "part_break", "part_why", "part_fix", "part_compare", "side_by_side", "none_violated",
		"search", "search_nothing", "does_choose", "does_clear", "does_glossary", "on_screen", "words", "parts_nowhere", "ifonly", "choose_ifonly", "as_it_was", "as_if", "why_no_ifonly",
	} {
		all[id] = b.Text(id)
	}
	for _, id := range []string{
		"cells", "shown_locks", "shown_hazards", "matrix_more", "by_limit", "found_steps", "found_faults", "found_story",
		"found_caption", "explored_says", "why_answer", "why_not_answer", "answer_noted", "answer_right", "answer_wrong",
		"answer_told", "course_begin", "course_resume", "nth_chapter", "nth_part", "next_part", "last_part", "same_schedule",
		"at_command", "violated_so_far", "choose_second", "is_the_fix", "no_occasion", "nth_hit", "a_story", "no_occasions", "breaks_first", "breaks_both",
		"breaks_second", "breaks_neither", "reset_ask", "progress_damaged", "progress_unsaved", "stuck",
	} {
		all[id] = b.Fill(id, prose.TextFacts{N: 7, Of: 9, From: 1, To: 7, What: "x", Invariant: "x", Hazard: "y"})
	}
	all["pace"] = b.Fill("pace", prose.TextFacts{Delay: "2s"})
	return all
}

// TestNoWordIsEnglish looks at every step of two stories in Chinese.
func TestNoWordIsEnglish(t *testing.T) {
	testkit.Single(t)
	en, zh := words(t, "en"), words(t, "zh")
	var labels []string
	for name, word := range en {
		if word == "" || zh[name] == "" || zh[name] == word {
			t.Errorf("%s: %q in English, %q in Chinese", name, word, zh[name])
		}
		labels = append(labels, regexp.QuoteMeta(word))
	}
	english := regexp.MustCompile(`(^|[^-\w/])(` + strings.Join(labels, "|") + `)($|[^-\w])`)
	look := func(what, text string) {
		t.Helper()
		if found := english.FindString(text); found != "" {
			t.Errorf("%s has %q in it:\n%s", what, found, text)
		}
	}
	for _, source := range []string{crashStory, overrunStory} {
		m := start(t, Options{Story: parse(t, source), Lang: "zh"}, 120, 40)
		for range view(m).player.rows {
			snap := view(m).snapshot()
			look("the status", strings.ReplaceAll(m.statusLine().Text(), view(m).run.Step(view(m).player.at).Text, ""))
			look("the footer", m.footer().Text())
			look("the beliefs", text(render.Timeline(view(m).run, snap, view(m).cursor(), m.labels, m.theme, 60, 19)))
			look("the keys", text(render.Keys(snap, m.labels, m.theme, 60, 9)))
			look("the lanes", text(render.Lanes(view(m).picture.of(view(m).run), view(m).cursor(), m.labels, m.theme, 80, 9)))
			forward(m)
		}
		for range view(m).run.Found {
			press(m, "V")
			look("the card", text(view(m).cardText(200)))
		}
		press(m, "?")
		look("the help", check(t, m))
		press(m, "?")
		for range 9 { // down to its end
			look("the glossary", check(t, m))
			press(m, "down", "down", "down")
		}
		press(m, "?", "esc", "esc")
		look("the stories", m.statusLine().Text()+strings.Split(check(t, m), "\n")[1])
		press(m, "esc", "/")
		look("the locks", m.statusLine().Text()+m.footer().Text())
	}
}

// TestMatrixInChinese looks at every cell, and at what it opens.
func TestMatrixInChinese(t *testing.T) {
	testkit.Single(t)
	english := regexp.MustCompile(`[a-z]+ [a-z]+`)
	m := opened(t, Options{Lang: "zh"}, 200, 60)
	for i := range m.board.cells {
		m.board.lock.at, m.board.hazard.at = i/m.board.hazard.n, i%m.board.hazard.n
		for _, keys := range [][]string{nil, {"c"}, {"?"}} {
			press(m, keys...)
			frame := check(t, m)
			if keys == nil {
				_, frame, _ = strings.Cut(frame, "optimistic-version ") // below the ids that head the table
			}
			if c := m.board.cells[i]; c != nil { // a world is written as in stories
				frame = strings.ReplaceAll(frame, c.Config.String(), "")
			}
			if found := english.FindString(frame); found != "" {
				t.Fatalf("%q in\n%s", found, m.View())
			}
		}
		press(m, "esc", "esc")
	}
}

// TestCellsAreShort: what a cell says fits into it, after its sign and a blank.
func TestCellsAreShort(t *testing.T) {
	for _, lang := range prose.Languages() {
		l := words(t, lang)
		for _, name := range []string{"NotYet", "Working", "Holds", "Vacuous", "Inconclusive"} {
			if ansi.StringWidth(l[name]) > 8 {
				t.Errorf("%s %s: %q is wider than 8 columns", lang, name, l[name])
			}
		}
	}
}

// TestViolationsAreNotGivenAway: the footer counts those that were met.
func TestViolationsAreNotGivenAway(t *testing.T) {
	m := start(t, Options{Story: parse(t, overrunStory)}, 120, 40)
	for at := range view(m).player.rows {
		met := 0
		for _, f := range view(m).run.Found {
			if f.Row <= at {
				met++
			}
		}
		want := ""
		switch {
		case met == 1:
			want = "1 violation so far"
		case met > 1:
			want = m.book.Fill("violations", prose.TextFacts{N: met})
		}
		if got := m.statusLine().Text(); !strings.Contains(got, want) || want == "" && strings.Contains(got, "violation") {
			t.Errorf("step %d: %q, want %q", at+1, got, want)
		}
		forward(m)
	}
}
