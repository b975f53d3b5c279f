package render

import (
	"lockstep/internal/diagram"
	"slices"
	"strings"
	"testing"
)

// TestEachClientHasItsColour: in its lane, in the band of what it believes and in
// that of what it owns, and the key that it owns.
func TestEachClientHasItsColour(t *testing.T) {
	th, r := themed(false), fixture(t, "overrun")
	at := 3
	lanes := th.Lanes(diagram.Of(r), Cursor{At: at}, 80, 10)
	bands := th.Beliefs(r, Cursor{At: at}, 80, 9)
	keys := th.Keys(r.At(at), 80, 3)
	code := Code{Text: "package p", Line: 1, Who: 1, Letter: "A"}
	lit := code
	lit.Lit = true
	for place, line := range map[string]Line{
		"the line that it sent": th.Source(code, 80, 1)[0], "the line that is lit": th.Source(lit, 80, 1)[0],
		"the head of its lane": lanes[0], "its lane": lanes[2], "its belief": bands[1], "what it owns": bands[3], "its key": keys[0],
	} {
		if !slices.ContainsFunc(line, func(s Span) bool { return s.Client == 1 && s.Text != "" }) {
			t.Errorf("%s: not of the client: %+v", place, line)
		}
	}
}

// TestCausesAreMarked: in the lane of whoever acted and on the ruler, and all else
// steps back.
func TestCausesAreMarked(t *testing.T) {
	r := fixture(t, "overrun")
	at := r.Found[0].Row
	c := Cursor{At: at, Causes: []Cause{{Key: "1", Step: 2}, {Key: "2", Step: 4}}, Back: "left"}
	th := themed(false)
	lanes := th.Lanes(diagram.Of(r), c, 80, 20)
	ruler := th.Beliefs(r, c, 80, 9)[0]
	for number, step := range map[string]int{"1": 2, "2": 4} {
		marks := func(s Span) bool { return s.Role == Mark && s.Text == number }
		if !slices.ContainsFunc(lanes[step], marks) || !slices.ContainsFunc(ruler, marks) {
			t.Errorf("%s is not marked in %+v and %+v", number, lanes[step], ruler)
		}
	}
	for step, strong := range map[int]bool{2: true, 3: false, 4: true} {
		last := lanes[step][len(lanes[step])-1]
		if (last.Role == Strong) != strong || !strings.HasPrefix(last.Text, r.Rows[step-1].Text.String()) {
			t.Errorf("step %d stands out: %t, in %+v", step, !strong, lanes[step])
		}
		if last.Press != "left" || last.Times != at-step+1 {
			t.Errorf("a click on step %d presses %s %d times", step, last.Press, last.Times)
		}
	}
	if low := texts(th.Lanes(diagram.Of(r), c, 80, 5)); !strings.Contains(low[1], r.Rows[1].Text.String()) || !strings.Contains(low[2], r.Rows[3].Text.String()) {
		t.Errorf("where there is little room the causes are not shown: %q", low)
	}
	if narrow := th.Lanes(diagram.Of(r), c, 14, 20)[2][0]; narrow.Role != Mark || narrow.Text != "1" {
		t.Errorf("without lanes: %+v", narrow)
	}
}

func TestTrimMiddle(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"EVALSHA 1f2e 1 lock:stock A-1 -> 0", 40, "EVALSHA 1f2e 1 lock:stock A-1 -> 0"},
		{"EVALSHA 1f2e 1 lock:stock A-1 -> 0", 20, "EVALSHA 1f2e .. -> 0"},
		{"crashes before EXPIRE lock:stock", 12, "crashes be.."},
		{"EVALSHA {21a618} 1 lock:stock A-1 -> (error) NOSCRIPT", 34, "EVALSHA {21a.. -> (error) NOSCRIPT"},
		{"GET k -> a value that is longer than half", 20, "GET k -> a value t.."},
		{"a -> b", 0, ""},
	} {
		if got := trimMiddle(c.text, c.w); got != c.want {
			t.Errorf("%q in %d: %q, not %q", c.text, c.w, got, c.want)
		}
	}
}

// TestCausesAreParted: the numbers of causes at adjacent steps do not read as one
// number, and the bands stay below the ruler.
func TestCausesAreParted(t *testing.T) {
	r := fixture(t, "overrun")
	at := r.Found[0].Row
	draw := func(causes ...Cause) (ruler, band string) {
		lines := texts(themed(false).Beliefs(r, Cursor{At: at, Causes: causes}, 80, 9))
		return lines[0], lines[1]
	}
	ruler, parted := draw(Cause{"1", 3}, Cause{"2", 4})
	_, plain := draw(Cause{"1", 3})
	column := strings.Index(ruler, "1 2")
	if column < 0 {
		t.Fatalf("the causes stand side by side: %q", ruler)
	}
	cut := func(s string, from, to int) string { return string([]rune(s)[from:to]) }
	if cut(parted, 0, column+1) != cut(plain, 0, column+1) || cut(parted, column+1, column+2) != " " || cut(parted, column+2, column+4) != cut(plain, column+1, column+3) {
		t.Errorf("the bands are not below the ruler\n%s\n%s\n%s", ruler, parted, plain)
	}
}
