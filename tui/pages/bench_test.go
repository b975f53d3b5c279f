package pages

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// longRun is a run of that many events: a real one, over and over, with a
// command for each.
func longRun(tb testing.TB, events int) (*scenarios.Story, *lesson.Run) {
	tb.Helper()
	story, err := scenarios.Parse("test.txt", "a_long_story", overrunStory)
	if err != nil {
		tb.Fatal(err)
	}
	result, err := scenarios.Run(tb.Context(), story)
	if err != nil {
		tb.Fatal(err)
	}
	h := result.History
	once := h.Events
	h.Events = nil
	var beats []scenarios.Beat
	for len(h.Events) < events {
		n := len(h.Events)
		e := once[n%len(once)]
		e.Seq, e.Pick = n, n
		e.At += history.Millis(n/len(once)) * (once[len(once)-1].At + 1)
		h.Events = append(h.Events, e)
		step := result.Beats[len(result.Beats)/2].Step
		story.Steps = append(story.Steps, *step)
		beats = append(beats, scenarios.Beat{
			Step: step, From: n, To: n + 1, Lines: history.Lines(h.Events[n:n+1], h.Nodes),
		})
	}
	return story, lesson.NewRun(h, beats, history.Check(h))
}

// BenchmarkKey is a key press and the frame after it: what it costs depends on
// the screen, not on how much has happened.
func BenchmarkKey(b *testing.B) {
	for _, events := range []int{10, 100_000} {
		story, run := longRun(b, events)
		for _, size := range [][2]int{{80, 24}, {140, 45}} {
			for _, keys := range [][]string{{"right", "left"}, {"G", "g"}, {"f", "v", "1"}, {"tab"}} {
				b.Run(fmt.Sprintf("events=%d/size=%dx%d/keys=%s", events, size[0], size[1], strings.Join(keys, ",")), func(b *testing.B) {
					pressInARow(b, story, run, size, keys)
				})
			}
		}
	}
}

func pressInARow(b *testing.B, story *scenarios.Story, run *lesson.Run, size [2]int, keys []string) {
	b.Helper()
	m := New(b.Context(), Options{Story: story, At: len(run.Rows) * 2 / 3, Progress: progress.In(filepath.Join(b.TempDir(), "lockstep"))})
	defer m.background.end()
	m.Resize(size[0], size[1])
	m.page().(*storyPage).isRun(story, run, nil)
	m.Update(nil)
	if view(m).run == nil || len(m.View()) < size[0]*size[1]/4 {
		b.Fatalf("no frame:\n%s", m.View())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keyMsg(keys[i%len(keys)]))
		_ = colourful(m)
	}
}
