package pages

import (
	"context"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/paint"
)

// looks are the pictures of docs/looks: a screen after some keys, and a text that is the
// point of it.
var looks = []struct {
	name, title string
	shows       string
	story       string // that is open at first; "" for the list of locks
	keys        []string
	w, h        int
	on          palette.Background
}{
	{"locks_80", "The list of locks", "Press c for the course", "", nil, 80, 24, palette.OnDark},
	{"locks_140", "The list of locks with one of them beside it", "Overrun (damage) +6", "", []string{"down", "down", "down", "down"}, 140, 45, palette.OnDark},
	{"locks_light", "The list of locks on a light ground", "Overrun (damage) +6", "", []string{"down", "down", "down", "down"}, 120, 36, palette.OnLight},
	{"violation_80", "A's DEL removes B's lock", "A removed lock:stock, which B held", "del_removes_the_next_holders_lock", []string{"f", "b"}, 80, 24, palette.OnDark},
	{"violation_120", "A's DEL removes B's lock, with its card", "[2] step 10", "del_removes_the_next_holders_lock", []string{"f", "b"}, 120, 36, palette.OnDark},
	{"violation_light", "A's DEL removes B's lock, on a light ground", "A removed lock:stock, which B held", "del_removes_the_next_holders_lock", []string{"f", "b"}, 140, 45, palette.OnLight},
	{"card_80", "The card of a violation", "The lock's code", "del_removes_the_next_holders_lock", []string{"f", "b", "c"}, 80, 24, palette.OnDark},
	{"late_140", "A late DEL", "B removed lock:stock, which C held", "a_late_del", []string{"f", "2", "right"}, 140, 45, palette.OnDark},
	{"question_80", "A question", "Whose lock does B's DEL remove?", "a_late_del", []string{"G"}, 80, 24, palette.OnLight},
	{"level_120", "A level", "Goal", "", []string{"b", "enter", "enter", "enter"}, 120, 36, palette.OnDark},
	{"matrix_140", "The matrix", "VIOLATED", "", []string{"m", "down", "down", "right", "right"}, 140, 45, palette.OnDark},
	{"matrix_80", "The matrix on a light ground", "HOLDS", "", []string{"m", "down", "down", "down", "right"}, 80, 24, palette.OnLight},
	{"course_80", "The course", "Choose a chapter", "", []string{"c"}, 80, 24, palette.OnDark},
	{"end_120", "Which lock for what", "What is true of your application?", "", []string{"c", "w", "enter"}, 120, 36, palette.OnDark},
}

// TestPicture draws the pictures of the front page and of docs/looks again.
func TestPicture(t *testing.T) {
	testkit.Single(t)
	for _, l := range looks {
		o := Options{Matrix: aPartOfTheMatrix(t)}
		if l.story != "" {
			o.Story = theStory(t, l.story)
		}
		m := start(t, o, l.w, l.h)
		for _, k := range l.keys {
			if cmd := press(m, k); at(m) != "game" { // a level waits for its proof as long as it is open
				drain(m, cmd)
			}
		}
		if len(l.keys) == 0 {
			drain(m, m.Update(Size{Width: l.w, Height: l.h}))
		}
		wantIn(t, m, l.shows)
		golden(t, "../../docs/looks/"+l.name+".svg", svg(inTrueColour(m, l.on), l.title, l.on))
	}
	m := start(t, Options{Story: theStory(t, "del_removes_the_next_holders_lock")}, 104, 32)
	press(m, "f", "b")
	wantIn(t, m, "A removed lock:stock, which B held")
	golden(t, "../../docs/violation.svg", svg(inTrueColour(m, palette.OnDark), "The walkthrough where A's DEL removes B's lock", palette.OnDark))
}

func theStory(t testing.TB, name string) *scenarios.Story {
	t.Helper()
	story := testkit.Must(scenarios.Find(name))(t)
	return story
}

// aPartOfTheMatrix is explored, so that a picture of it is true.
func aPartOfTheMatrix(t testing.TB) *Matrix {
	t.Helper()
	m := &Matrix{Locks: []string{"setnx", "setnx-expire", "set-del", "get-then-del", "set-lua", "fenced"}, Jobs: 1}
	var locks []explore.Lock
	for _, id := range m.Locks {
		subject := testkit.Must(scenarios.SubjectOf(id))(t)
		locks = append(locks, explore.Lock{ID: id, Subject: subject})
	}
	hazards := explore.Hazards()[:6]
	for _, h := range hazards {
		m.Hazards = append(m.Hazards, h.ID)
	}
	m.Compute = func(ctx context.Context, report func(...explore.Cell)) error {
		_, err := explore.Matrix(ctx, locks, hazards, explore.Within(explore.Bounds{States: 5_000, Unbroken: 50_000, Depth: 100}, "A", "B"), 1, nil, func(_, _ int, c explore.Cell) { report(c) })
		return err
	}
	return m
}

// inTrueColour returns a frame with the colours of the palette.
func inTrueColour(m *Shell, on palette.Background) string {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.TrueColor)
	return paint.New(r, on).Frame(m.Lines())
}
