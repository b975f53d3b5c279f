package render

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"

	"lockstep/internal/diagram"
	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// fits fails for a line that is too wide.
func fits(t *testing.T, lines Lines, w int) {
	t.Helper()
	for _, line := range lines {
		if got := ansi.StringWidth(line.Text()); got > w || got != line.Width() {
			t.Errorf("%d cells where %d fit: %q", got, w, line.Text())
		}
	}
}

func TestLanes(t *testing.T) {
	for name, at := range map[string]int{"crash": 5, "red": 14, "dog": 10, "overrun": 9} {
		t.Run(name, func(t *testing.T) {
			r := fixture(t, name)
			frames(t, func(th Theme, w int) Lines { return th.Lanes(diagram.Of(r), Cursor{At: at}, w, 10) })
		})
	}
}

func TestKeys(t *testing.T) {
	str := func(value string, deadline history.Millis) *history.KeyState {
		return &history.KeyState{Type: "string", Value: value, Deadline: deadline}
	}
	s := lesson.Snapshot{Now: 4000, Locks: true, Nodes: 1, Keys: []lesson.Key{
		{Node: "r1", Name: "fence:stock", State: str("17", 0), Was: str("16", 0), Changed: true},
		{Node: "r1", Name: "lock:stock", State: str("A-1", 5000)},
		{Node: "r1", Name: "lock:overdue", State: str("A-1", 3999)},
		{Node: "r1", Name: "lock:new", State: str("B-1", 14000), Since: 4000, Changed: true},
		{Node: "r1", Name: "lock:longer", State: str("B-1", 9000), Since: 4000, Was: str("B-1", 8000), Changed: true},
		{Node: "r1", Name: "lock:hash", State: &history.KeyState{Type: "hash", Value: "{A-1=1 field=a value that is long}"}},
		{Node: "r1", Name: "lock:went", Was: str("C-1", 3000), Changed: true},
	}}
	frames(t, func(th Theme, w int) Lines {
		out := append(th.Keys(s, w, 10), sep("--"), sep("a room of three:"))
		return append(append(out, th.Keys(s, w, 3)...), th.Keys(lesson.Snapshot{}, w, 3)...)
	})
}

const code = `package strategies

// Lock takes it.
func (l *SetNX) Lock(ctx context.Context) (Grant, error) {
	token := l.Token()
	// BUG(lesson): no TTL, so a process that dies here locks everybody out for ever and a day.
	ok, err := l.Redis.Do(ctx, "SETNX", l.Key, token, "and", "some", "more", "words", "that", "do", "not", "fit").Bool()
	if err != nil {
		return Grant{}, outcome(err)
	}
	return Grant{Token: token}, nil
}
`

func TestSource(t *testing.T) {
	frames(t, func(th Theme, w int) Lines {
		out := append(th.Source(Code{Text: code}, w, 6), sep("-- lit"))
		out = append(append(out, th.Source(Code{Text: code, Line: 7, Lit: true, Who: 2, Letter: "B"}, w, 7)...), sep("-- lit before"))
		out = append(append(out, th.Source(Code{Text: code, Line: 7, Lit: false, Who: 2, Letter: "B"}, w, 7)...), sep("-- a low pane"))
		out = append(append(out, th.Source(Code{Text: code, Line: 7, Lit: true, Who: 2, Letter: "B"}, w, 4)...), sep("-- lesson below"))
		out = append(append(out, th.Source(Code{Text: code, Line: 5, Lit: true, Who: 2, Letter: "B"}, w, 9)...), sep("-- listing"))
		return append(out, th.Listing(code, w)...)
	})
}

func TestCaption(t *testing.T) {
	long := strings.Repeat("A takes the lock, and then it is at work for longer than it thought. ", 5)
	captions := []Caption{
		{Text: "A takes the lock."},
		{Text: long, Question: "Can B ever get the lock?"},
		{Question: "Can B ever get the lock?", Answer: "no", Hint: "It failed as it was meant to."},
		{Text: long, Question: "Can B ever get the lock?", Choices: "[y] yes   [n] no   [0] I do not know"},
		{Text: "第一个客户端拿到锁，然后它的进程在这里停住，直到租约结束为止，而它自己并不知道。"},
		{Text: "an escape \x1b[31m, a bell \a, a direction \u202e and a tab\tof a story of one's own"},
	}
	frames(t, func(th Theme, w int) Lines {
		var out Lines
		for _, c := range captions {
			out = append(append(out, c.Draw(w, 3)...), sep("--"))
		}
		return out
	})
}

func TestExplanation(t *testing.T) {
	e := Explanation{
		Question: "Can B ever get the lock?", Result: "You said yes, but the answer is no.",
		Reasons: []lesson.Part{
			{Label: "Why no", Text: "The key has no TTL, and A, which alone would have deleted it, is dead and will never send its DEL."},
			{Label: "Why not yes", Text: ""}, {Label: "为何不是 是", Text: "TTL 能结束这把锁，但从未设置过，因为进程在那条命令之前就已经崩溃，再也不会回来。"},
		},
	}
	frames(t, func(th Theme, w int) Lines {
		out := append(e.Draw(th, w), sep("--"))
		return append(out, Explanation{Question: "Why?", Result: "Right: no.", Right: true}.Draw(th, w)...)
	})
}

func TestCard(t *testing.T) {
	c := Card{
		Says: "VIOLATED lock-recovers (1 of 2)", Verdict: "lock:stock cannot be acquired again: no TTL",
		Found: lesson.Found{Violation: history.Violation{Invariant: "lock-recovers"}, Known: true},
		Explanation: lesson.Explanation{
			{Kind: lesson.Happened, Part: lesson.Part{Label: "What happened", Text: "Since 0s nobody can acquire lock:stock, though all faults have stopped."}},
			{Kind: lesson.Why, Part: lesson.Part{Label: "Why", Text: "A crashed at 0s while it owned the lock, before its EXPIRE (setnx_expire.go:25)."}},
			{Kind: lesson.Why, Part: lesson.Part{Label: "Why", Text: "either: r2 evicted lock:stock at 0s."}},
			{Kind: lesson.Rests, Part: lesson.Part{Label: "Why", Text: "Without this step, it would not have happened."}},
			{Kind: lesson.Code, Part: lesson.Part{Label: "The code", Text: "DEL does not ask."}},
			{Kind: lesson.Cost, Part: lesson.Part{Label: "Cost", Text: "The key has no TTL."}},
			{Kind: lesson.Saved, Part: lesson.Part{Label: "Saved", Text: "set-lua"}},
		},
		Causes: []Cause{{Key: "1", Step: 3}, {Step: 7}},
		Parts: []lesson.Part{
			{Label: "Nothing", Text: ""}, {Label: "后果", Text: "店一直关着，直到有人发现这个键并手动删除。在那之前谁也买不到东西，而且没有人知道为什么。"},
		},
		Closing: "It failed as it was meant to.",
	}
	frames(t, func(th Theme, w int) Lines { return c.Draw(th, w) })
}

func TestMenu(t *testing.T) {
	items := []Item{{Title: "setnx", Note: "SETNX and DEL"}, {Title: "setnx-expire", Note: "SETNX, then EXPIRE"}, {Title: "set-lua", Note: "先比较再删除"}, {Title: "last", Note: ""}}
	frames(t, func(th Theme, w int) Lines {
		left, right := Ends("SETNX, then EXPIRE", "a crash between setnx and expire", w)
		out := append(th.Menu(items, 1, w, 10), sep("-- a room of two:"))
		out = append(append(out, th.Menu(items, 3, w, 2)...), th.Heading("Source", w), th.Heading("", w), sep(left+right))
		return append(out, th.Legend(w)...)
	})
}

// TestGlyphsAreNarrow finds glyphs that some terminals draw in two cells.
func TestGlyphsAreNarrow(t *testing.T) {
	eastAsian := runewidth.Condition{EastAsianWidth: true}
	for _, onlyASCII := range []bool{false, true} {
		th := themed(onlyASCII)
		glyphs := reflect.ValueOf(th.Glyphs)
		all := []string{cut}
		for i := range glyphs.NumField() {
			if glyph := glyphs.Field(i); glyph.Kind() == reflect.String {
				all = append(all, glyph.String())
			}
		}
		for _, v := range []explore.Verdict{NotYet, Working, Allowed, explore.Violated, explore.Holds, explore.Vacuous, explore.Inconclusive, "other"} {
			all = append(all, th.Sign(v))
		}
		for _, s := range all {
			if s != cut && ansi.StringWidth(s) != 1 || eastAsian.StringWidth(s) != len([]rune(s)) {
				t.Errorf("%q is not narrow everywhere", s)
			}
			if onlyASCII && strings.ContainsFunc(s, func(r rune) bool { return r > '~' }) {
				t.Errorf("%q is not ASCII", s)
			}
		}
	}
}

// TestEverySize draws every row of every history at sizes too small for it.
func TestEverySize(t *testing.T) {
	testkit.Single(t)
	th := themed(false)
	for _, name := range []string{"crash", "red", "dog", "overrun"} {
		r := fixture(t, name)
		for at := range r.Rows {
			s := r.At(at)
			for w := 1; w < 90; w += 17 {
				for h := 0; h < 12; h += 3 {
					fits(t, th.Lanes(diagram.Of(r), Cursor{At: at}, w, h).Block(w, h), w)
					fits(t, th.Keys(s, w, h), max(w, 4))
					fits(t, th.Source(Code{Text: code, Line: 7, Lit: true, Who: 2, Letter: "B"}, w, h).Block(w, h), w)
					c := Cursor{At: at}
					fits(t, th.Beliefs(r, c, w, h).Block(w, h), max(w, 10))
					fits(t, th.Timeline(r, c, w, h).Block(w, h), max(w, 10))
				}
			}
		}
	}
}

func TestRun(t *testing.T) {
	r := fixture(t, "crash")
	if got := r.Rows[0].Text.String(); got != r.History.Config.String() || r.Rows[0].To != 0 {
		t.Errorf("the first row is %q after %d events, want the world before any", got, r.Rows[0].To)
	}
	if last := r.Rows[len(r.Rows)-1]; last.To != len(r.History.Events) {
		t.Errorf("the last row ends at event %d of %d", last.To, len(r.History.Events))
	}
	for i := 1; i < len(r.Rows); i++ {
		if r.Rows[i].From != r.Rows[i-1].To {
			t.Errorf("row %d begins at event %d, and the one before ends at %d", i, r.Rows[i].From, r.Rows[i-1].To)
		}
	}
	if source, own := r.Lit(1); source != "strategies/setnx_expire.go:17" || !own {
		t.Errorf("row 1 comes from %q, its own: %v", source, own)
	}
	if source, own := r.Lit(2); source != "strategies/setnx_expire.go:17" || own {
		t.Errorf("row 2 comes after %q, its own: %v", source, own)
	}
}

// TestOrphanIsMetAtItsCheck: that a lock can never be acquired again is a
// fact from the crash on, but the story asks before it tells.
func TestOrphanIsMetAtItsCheck(t *testing.T) {
	h := fixture(t, "crash").History
	v := history.Violation{Invariant: history.LockRecovers, Seq: 4, Causes: []int{4}}
	said := history.Line{Apart: true, Broken: &v}
	story := testkit.Must(scenarios.Parse("s.txt", "s", "world strategy=setnx-expire clients=A,B\n\nrun A\n\ncrash A\n\nreplay strategy=setnx\n\ncheck\n"))(t)
	step := func(n int) *scenarios.Step { return &story.Steps[n] }
	beats := []scenarios.Beat{
		{Step: step(0), Output: []history.Line{{Apart: true, Text: lang.Quote("setnx-expire: A, B")}}},
		{Step: step(1), To: 4, Lines: history.Lines(h.Events[:4], h.Nodes)},
		{Step: step(2), From: 4, To: 5, Lines: history.Lines(h.Events[4:5], h.Nodes)},
		{Step: step(3), From: 5, To: 5, Output: []history.Line{said}},
		{Step: step(4), From: 5, To: 5, Output: []history.Line{said}},
	}
	r := lesson.NewRun(h, beats, []history.Violation{v})
	if row := r.Rows[r.Found[0].Row]; row.Command == nil || row.Command.Text != "check" || !slices.Equal(row.Found, []int{0}) {
		t.Errorf("met at %+v, want the check", row)
	}
	if r = lesson.NewRun(h, beats[:3], []history.Violation{v}); r.Rows[r.Found[0].Row].From != 4 {
		t.Errorf("without a check it is met at %+v, want the crash", r.Rows[r.Found[0].Row])
	}
	if got := r.RowOf(4); r.Rows[got].From != 4 {
		t.Errorf("event 4 is shown by %+v", r.Rows[got])
	}
}

// TestVotesApart: no number of votes runs into the sign of the next lane, not even into the
// number of a cause.
func TestVotesApart(t *testing.T) {
	story := testkit.Must(scenarios.Find("the_failed_redlock_frees_everybody"))(t)
	r := lesson.Of(testkit.Must(scenarios.Run(t.Context(), story))(t))
	counted := 0
	for w := 40; w < 120; w++ {
		for at := range r.Rows {
			var causes []Cause
			for i := range min(9, at+1) {
				causes = append(causes, Cause{Key: string(rune('1' + i)), Step: at + 1 - i})
			}
			for _, line := range texts(themed(false).Lanes(diagram.Of(r), Cursor{At: at, Causes: causes}, w, 10)) {
				if votes.MatchString(line) {
					counted++
				}
				if found := runInto.FindString(line); found != "" {
					t.Fatalf("at %d: %q in %q", w, found, line)
				}
			}
		}
	}
	if counted == 0 {
		t.Error("no votes are counted")
	}
}

var votes, runInto = regexp.MustCompile(`[0-5]/5`), regexp.MustCompile(`[0-5]/5[0-9A-Z]`)
