package course

import (
	"fmt"
	"strings"
	"testing"
)

// timed is a course of chapters such as "a5 b3+": an id, its minutes, and + for an
// extra.
func timed(chapters string) *Course {
	c := &Course{ID: "timed"}
	for _, word := range strings.Fields(chapters) {
		ch := Chapter{ID: word[:1], Kind: Core}
		_, _ = fmt.Sscanf(word[1:], "%d", &ch.Minutes)
		if strings.HasSuffix(word, "+") {
			ch.Kind = Extra
		}
		c.Chapters = append(c.Chapters, ch)
	}
	return c
}

// shown writes an agenda as "0 a, 5 b; c: why"; a break is - and questions are ?.
func shown(c *Course, a Agenda) string {
	var slots, left []string
	for _, s := range a.Slots {
		what := "?"
		switch {
		case s.Chapter >= 0:
			what = c.Chapters[s.Chapter].ID
		case a.Break(s):
			what = "-"
		}
		slots = append(slots, fmt.Sprintf("%d %s", s.From, what))
	}
	for _, l := range a.Left {
		left = append(left, c.Chapters[l.Chapter].ID+": "+l.Why.String())
	}
	return strings.Join(append([]string{strings.Join(slots, ", ")}, left...), "; ")
}

func TestAgenda(t *testing.T) {
	for _, c := range []struct {
		chapters string
		minutes  int
		want     string
	}{
		{"a5 b5", 10, "0 a, 5 b"},
		{"a5 b5", 15, "0 a, 5 b, 10 ?"},
		{"a5 b5 c5", 12, "0 a, 5 b, 10 ?; c: no time is left for it"},
		{"a5 b9 c1", 10, "0 a, 5 ?; b: no time is left for it; c: builds on what is left out"},
		{"a5 b3+ c5 d2+", 12, "0 a, 5 c, 10 d; b: extra, and no time is left for it"},
		{"a5 b3+ c5 d2+", 13, "0 a, 5 b, 8 c; d: extra, and no time is left for it"},
		{"a5 b3+ c9 d1+", 9, "0 a, 5 b, 8 ?; c: no time is left for it; d: builds on what is left out"},
		{"a60 b60 c50", 180, "0 a, 60 -, 70 b, 130 c"},
		{"a50 b50", 100, "0 a, 50 b"},
		{"a3+ b5", 5, "0 b; a: extra, and no time is left for it"},
	} {
		course := timed(c.chapters)
		a, err := course.Agenda(c.minutes)
		if got := shown(course, a); err != nil || got != c.want {
			t.Errorf("%s in %d minutes: %s, %v; want %s", c.chapters, c.minutes, got, err, c.want)
		}
	}
	if _, err := timed("a5 b1").Agenda(4); err == nil || err.Error() != "4 minutes are too few: the chapter a alone takes 5" {
		t.Errorf("4 minutes: %v", err)
	}
}

// TestAgendaFits: whatever the course and the minutes, nothing overlaps, nothing is
// lost, and it ends in time.
func TestAgendaFits(t *testing.T) {
	for _, id := range Names() {
		c, err := Named(id)
		if err != nil {
			t.Fatal(err)
		}
		for minutes := 1; minutes <= 480; minutes++ {
			a, err := c.Agenda(minutes)
			if err != nil {
				if minutes >= 45 {
					t.Errorf("%s in %d minutes: %v", id, minutes, err)
				}
				continue
			}
			at, last, chapters := 0, -1, len(a.Left)
			for _, s := range a.Slots {
				if s.From != at || s.Minutes <= 0 || s.Chapter >= 0 && s.Chapter <= last {
					t.Errorf("%s in %d minutes: %+v after minute %d", id, minutes, s, at)
				}
				if at += s.Minutes; s.Chapter >= 0 {
					last = s.Chapter
					chapters++
				}
			}
			if at != minutes || chapters != len(c.Chapters) {
				t.Errorf("%s in %d minutes: ends at %d, %d of %d chapters", id, minutes, at, chapters, len(c.Chapters))
			}
		}
	}
}
