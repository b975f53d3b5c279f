package workshop

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/pages"
	"lockstep/tui/render"
)

// storyOf is a story of the library.
func storyOf(t *testing.T, name string) *scenarios.Story {
	t.Helper()
	return testkit.Must(scenarios.Find(name))(t)
}

// tokenOf is the token of a story's run.
func tokenOf(t *testing.T, s *scenarios.Story) string {
	t.Helper()
	r := testkit.Must(scenarios.Run(t.Context(), s))(t)
	return history.Token(r.History.Config, r.History.Schedule)
}

// TestBack: after kill -9 the class is where it was: at a step of a chapter's part, at its
// poll, or in a story or a run that somebody has handed in.
func TestBack(t *testing.T) {
	story := storyOf(t, "a_late_del")
	run := tokenOf(t, story)
	whole := testkit.Must(scenarios.ParseLesson(scenarios.Lesson{Story: story, Lang: "en", At: 3}.Token()))(t)
	first := whole
	first.At = 1
	for name, test := range map[string]struct {
		from string
		keys string
		to   string
		poll bool
	}{
		"a part":         {"course:set-del", "right right right", "course:set-del/work@3", false},
		"its poll":       {"course:set-del/break", "G", "course:set-del/break@13", true},
		"side by side":   {"course:set-del/compare@1", "right right", "course:set-del/compare@3", false},
		"a text":         {"course:set-del/why", "right", "course:set-del/fix", false},
		"a level":        {"course:set-del/compare@99", "right", "course:set-del/try", false},
		"a story":        {"a_late_del@4", "right", "a_late_del@5", false},
		"handed in":      {whole.Token(), "right", first.Token() + "@4", false},
		"handed in, run": {run, "right right", run + "@3", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := anew(t)
			trainer := h.trainer()
			en := trainer.events("/api/trainer/events?lang=en")
			trainer.must("/api/trainer/drive", m{"place": test.from})
			for _, key := range strings.Fields(test.keys) {
				trainer.must("/api/trainer/drive", m{"press": key})
			}
			heard(t, en, "frame", `"place":"`+test.to+`"`)
			if test.poll {
				heard(t, en, "poll", `"state":"open"`)
			}
			testkit.OK(t, h.flush()) // as the beat does every second
			h = h.again()
			trainer = h.trainer()
			what := []string{`"place":"` + test.to + `"`}
			if test.poll {
				what = append(what, `"kind":"ask"`)
			}
			heard(t, trainer.events("/api/trainer/events?lang=en"), "", what...)
			if test.poll {
				h.mu.Lock()
				defer h.mu.Unlock()
				if p := h.room.current; p == nil || p.State != isOpen {
					t.Errorf("the poll is %+v", p)
				}
			}
		})
	}
}

// TestHandIn: what a participant of either language hands in, the trainer can open for all,
// and the class sees it at its step. Stories are handed in as their files.
func TestHandIn(t *testing.T) {
	stories := scenarios.Stories()
	if len(stories) != 98 {
		t.Fatalf("%d stories", len(stories))
	}
	given := map[string]string{}
	for _, s := range testkit.Some(t, stories, 32, 5) {
		given[s.Name] = s.Source()
	}
	story := storyOf(t, "a_late_del")
	run, lesson := tokenOf(t, story), scenarios.Lesson{Story: story, Lang: "zh", At: 6}
	h := anew(t)
	level := h.levels["oversell"]
	maps.Copy(given, map[string]string{
		"captions in Chinese only": "#zh 没有英文。\nworld strategy=set-del clients=A,B\n----\n\n#zh 第二步。\nrun A\n----\n",
		"no captions":              "world strategy=set-del clients=A,B\n\nrun A\n",
		"Windows":                  "\ufeff# A.\r\nworld strategy=setnx clients=A,B\r\n----\r\n\r\nrun A\r\n----\r\n",
		"a run":                    "\n " + run + " \n",
		"a run at a step":          run + "@4",
		"a lesson":                 lesson.Token(),
		"a lesson at a step":       lesson.Token() + "@3",
		"a lesson of little":       scenarios.Lesson{Story: story}.Token(),
		"a level that is solved":   history.Token(level.Config, solution(t, level)),
	})
	trainer := h.trainer()
	frames := trainer.events("/api/trainer/events?lang=en")
	for i, name := range slices.Sorted(maps.Keys(given)) {
		for _, lang := range testkit.Some(t, [][]string{{"en", "zh"}, {"zh", "en"}}[i%2], 1, 1) {
			who := fmt.Sprintf("%s %d %s", name, i, lang)
			h.limits.mu.Lock()
			clear(h.limits.buckets) // nobody else is that quick
			h.limits.mu.Unlock()
			h.participant(who, "").must("/api/share", m{"title": name, "text": given[name], "lang": lang})
			last := trainer.shared()[0]
			if last.Name != clean(who, maxName) {
				t.Fatalf("%s: %+v", who, last)
			}
			trainer.must("/api/trainer/drive", m{"place": last.Place})
			opens(t, who, frames, last.Place)
		}
	}
}

// TestQuestionsOfOnePlace: the questions of two stories that are handed in are two, also where
// they are asked at the same place, and each has its own answers and its own right one.
func TestQuestionsOfOnePlace(t *testing.T) {
	h := anew(t)
	trainer, a := h.trainer(), h.participant("A", "")
	heardBy := a.events("/api/events?lang=en")
	for i, test := range []struct{ question, lock, right string }{{"Will it end?", "setnx", "no"}, {"Can B get in?", "set-lua", "yes"}} {
		a.must("/api/share", m{"title": test.question, "lang": "en", "text": "world strategy=" + test.lock + " clients=A,B\n\nrun A until=acquired\n\ncrash A\n\npredict \"" + test.question + "\" recovers = " + test.right + "\ncheck\n"})
		trainer.must("/api/trainer/drive", m{"place": h.room.shared[i].Place + "@4"}) // the last step before the question
		trainer.must("/api/trainer/drive", m{"press": "l"})
		p := told(t, heard(t, heardBy, "poll", test.question))
		if p.State != isOpen || p.Answered != 0 {
			t.Errorf("%s: %+v", test.question, p)
		}
		a.must("/api/answer", m{"poll": p.ID, "choice": 0})
		trainer.must("/api/trainer/poll", m{"do": "reveal", "id": p.ID})
		if p := told(t, heard(t, heardBy, "poll", test.question, isRevealed)); p.Options[*p.Right] != test.right || !slices.Equal(p.Counts, []int{1, 0}) {
			t.Errorf("%s: %+v, right %d", test.question, p, *p.Right)
		}
	}
	_, said := trainer.ask("GET", "/api/trainer/report", "")
	if !strings.Contains(said, "Will it end?") || !strings.Contains(said, "Can B get in?") || strings.Contains(said, "lst1") || strings.Count(said, "\n## Stories that were handed in\n") != 1 {
		t.Errorf("%s", said)
	}
}

// TestBegun: a class begins when a trainer drives, and the list of locks, which has no place, does
// not take away where it was.
func TestBegun(t *testing.T) {
	h := anew(t)
	trainer := h.trainer()
	frames := trainer.events("/api/trainer/events?lang=en")
	heard(t, frames, "", `"begun":false`)
	trainer.must("/api/trainer/drive", m{"place": "course:set-del"})
	heard(t, frames, "frame", `"place":"course:set-del`)
	trainer.must("/api/trainer/drive", m{"place": ""})
	heard(t, frames, "frame", `"place":""`)
	testkit.OK(t, h.flush())
	h = h.again()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.begun || !strings.HasPrefix(h.place, "course:set-del") {
		t.Errorf("begun: %v, at %q", h.begun, h.place)
	}
}

// TestTrainersOwn: what is told to the one who drives is not told to the class.
func TestTrainersOwn(t *testing.T) {
	h := anew(t)
	trainer := h.trainer()
	frames := trainer.events("/api/trainer/events?lang=en")
	trainer.must("/api/trainer/drive", m{"place": "a_late_del@25"})
	heard(t, frames, "frame", `"kind":"ask"`)
	trainer.must("/api/trainer/drive", m{"press": "right"})
	heard(t, frames, "frame", `"notice":"Answer the question first."`)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.walks["en"].frames {
		var said struct{ Place, Notice string }
		testkit.OK(t, json.Unmarshal(f.Frame, &said))
		if said.Notice != "" {
			t.Errorf("at %s the class reads %q", said.Place, said.Notice)
		}
	}
}

// opens waits for a frame of a place, which a page in English shows under its own language.
func opens(t *testing.T, who string, frames <-chan [2]string, place string) {
	t.Helper()
	at := pages.ParsePlace(place)
	l, err := scenarios.FromToken(t.Context(), at.Name)
	if err != nil {
		t.Fatalf("%s: %v", who, err)
	}
	want := pages.Place{Name: tokenOf(t, l.Story), Step: max(1, l.At, at.Step)}
	if scenarios.IsLesson(at.Name) && slices.ContainsFunc(l.Story.Steps, func(s scenarios.Step) bool { return len(s.Captions)+len(s.Predict) > 0 }) {
		want.Name = scenarios.Lesson{Story: l.Story, Lang: "en", At: 1}.Token()
	}
	if at.Step > 0 {
		want.Step = at.Step
	}
	said := heard(t, frames, "frame", `"place":"`+want.String()+`"`)
	if strings.Contains(said, `"notice"`) {
		t.Errorf("%s: %.300s", who, said)
	}
}

// TestFields: no field of a page takes more than the server keeps of it, so that nothing is
// cut without a word. Where a field has no bound, the server refuses what is too much.
func TestFields(t *testing.T) {
	most := map[string]int{
		"name": maxName, "team": maxName, "trainer-name": maxName, "story-title": maxTitle, "ask-question": maxQuestion, "ask-why": maxQuestion,
	}
	field, bound := regexp.MustCompile(`<(?:input|textarea) id="([\w-]+)"([^>]*)>`), regexp.MustCompile(`maxlength="(\d+)"`)
	met := 0
	for _, name := range []string{"room.html", "trainer.html"} {
		text := testkit.Must(static.ReadFile("static/" + name))(t)
		for _, found := range field.FindAllSubmatch(text, -1) {
			id, said := string(found[1]), bound.FindSubmatch(found[2])
			switch {
			case id == "query" || id == "ask-options": // the walkthrough's, and several
			case most[id] > 0 && said != nil && string(said[1]) == strconv.Itoa(most[id]):
				met++
			case most[id] > 0 || said != nil:
				t.Errorf("%s: %s takes %q, and the server %d", name, id, said, most[id])
			}
		}
	}
	if met != len(most) {
		t.Errorf("%d of %d fields", met, len(most))
	}
}

// TestAhead: the walk in another language may be ahead of the one that opens and closes
// polls, or behind it.
func TestAhead(t *testing.T) {
	h := anew(t)
	h.mu.Lock()
	defer h.mu.Unlock()
	part := func(question string) *pages.Section {
		p := &pages.Section{Kind: "ask", Asked: pages.Asked{ID: "a_story/1/0"}}
		for _, line := range []string{question, "yes", "no", "I do not know"} {
			p.Lines = append(p.Lines, render.Normal.Line(line))
		}
		return p
	}
	asks := func(lang, question string) {
		h.walks[lang].asking = part(question)
		h.asks(lang, "a_story@4", h.walks[lang].asking)
	}
	asks("zh", "吗？")
	h.goesOn("a_story@2")
	h.goesOn("a_story@3")
	asks("en", "?")
	if p := h.room.current; p == nil || p.State != isOpen || p.Said["zh"].Question != "吗？" || p.Said["en"].Question != "?" || len(p.Said["en"].Options) != 2 {
		t.Fatalf("%+v", p)
	}
	h.walks["en"].asking = nil
	h.goesOn("a_story@5")
	asks("zh", "吗？")
	if p := h.room.current; p.State != isClosed {
		t.Errorf("%+v", p)
	}
}
