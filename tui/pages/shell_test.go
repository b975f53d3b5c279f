package pages

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"lockstep/tui/render"
)

// TestKeysThatComeAtOnce do what they do one after the other.
func TestKeysThatComeAtOnce(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory)}, 80, 24)
	m.Update(Keys{KeyNamed("l"), KeyNamed("l"), KeyNamed("l"), KeyNamed("h")})
	wantAt(t, m, 3)
}

// TestHugeTerminal: what is drawn in it is bounded, and so is what that takes.
func TestHugeTerminal(t *testing.T) {
	m := start(t, Options{Story: parse(t, crashStory), At: 3}, mostWidth, mostHeight)
	want := check(t, m)
	m.Update(Size{Width: 65535, Height: 65535})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = m.View()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
		t.Errorf("a frame takes %d bytes", n)
	}
	if m.View() != want {
		t.Error("the frame is not that of the largest terminal that is filled")
	}
}

// A plainPage is a page that only counts what the shell does with it.
type plainPage struct {
	*shared
	name    string
	opens   int
	heard   []string
	ended   chan string // what work of it has ended
	working bool
}

func (p *plainPage) title() (left, right string) { return p.name, "" }

func (p *plainPage) body(int, int) render.Lines { return render.Texts("the body of " + p.name) }

func (p *plainPage) keys() []key { return nil }

func (p *plainPage) opened() act {
	p.opens++
	if !p.working {
		return nil
	}
	return begin(func(ctx context.Context) act {
		<-ctx.Done()
		p.ended <- p.name
		return p.hears("too late")
	})
}

func (p *plainPage) hears(answer string) act {
	return func(*Shell) Cmd {
		p.heard = append(p.heard, answer)
		return nil
	}
}

// TestStack: every page is opened when it comes to the top, and esc leads back
// page by page, but not out of the first one.
func TestStack(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	one, two, three := &plainPage{name: "one"}, &plainPage{name: "two"}, &plainPage{name: "three"}
	m.do(push(one))
	m.do(push(two))
	wantIn(t, m, "the body of two")
	m.do(instead(three))
	wantIn(t, m, "the body of three")
	press(m, "?")
	wantIn(t, m, "three", "esc            leave")
	press(m, "esc", "esc")
	wantIn(t, m, "the body of one")
	press(m, "esc", "esc", "esc")
	if at(m) != "locks" || works(m, backKey) {
		t.Errorf("esc leads to\n%s", m.View())
	}
	if got := []int{one.opens, two.opens, three.opens}; !slices.Equal(got, []int{2, 1, 2}) {
		t.Errorf("opened %v times", got)
	}
}

// TestWorkEndsWithThePage that began it, or when that is covered: then nothing comes of it.
// One in time is told.
func TestWorkEndsWithThePage(t *testing.T) {
	other := &plainPage{}
	for name, away := range map[string]act{
		"covered": push(other), "covered for a while": all(push(other), back), "closed": back, "replaced": instead(other),
	} {
		m := start(t, Options{}, 80, 24)
		p := &plainPage{name: name, working: true, ended: make(chan string, 2)}
		cmd := m.do(push(p))
		inTime := answer{m.top.generation, p.hears("in time")}
		m.Update(inTime)
		m.do(away)
		<-p.ended
		m.Update(cmd())
		m.Update(inTime)
		if !slices.Equal(p.heard, []string{"in time"}) {
			t.Errorf("%s: told %v", name, p.heard)
		}
	}
}

// TestLastingWork: what comes of it is done, whatever page is on top.
func TestLastingWork(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	p := &plainPage{}
	cmd := m.do(last(func(context.Context) act { return p.hears("seven") }))
	press(m, "enter")
	m.Update(cmd())
	if !slices.Equal(p.heard, []string{"seven"}) {
		t.Errorf("told %v", p.heard)
	}
}

// TestQuestionOfTheShell: a key of another name than yes does nothing else.
func TestQuestionOfTheShell(t *testing.T) {
	for name, want := range map[string]bool{"y": true, "n": false, "enter": false} {
		m := start(t, Options{}, 80, 24)
		yes := false
		m.do(ask("Really?", confirmKey.now(func() { yes = true })))
		wantIn(t, m, "Really?", "y yes")
		press(m, name)
		if yes != want || at(m) != "locks" || m.question != nil {
			t.Errorf("%s says %v, and leads to\n%s", name, yes, m.View())
		}
	}
}
