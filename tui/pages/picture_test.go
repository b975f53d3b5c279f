package pages

import (
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/tui/paint"
)

// looks are the pictures of docs/looks: a screen after some keys.
var looks = []struct {
	name, title string
	story       string // that is open at first; "" for the list of locks
	keys        []string
	w, h        int
	on          palette.Background
}{
	{"locks_80", "The list of locks", "", nil, 80, 24, palette.OnDark},
	{"locks_140", "The list of locks with one of them beside it", "", []string{"down", "down", "down", "down"}, 140, 45, palette.OnDark},
	{"locks_light", "The list of locks on a light ground", "", []string{"down", "down", "down", "down"}, 120, 36, palette.OnLight},
	{"violation_80", "A's DEL removes B's lock", "del_removes_the_next_holders_lock", []string{"f", "c"}, 80, 24, palette.OnDark},
	{"violation_120", "A's DEL removes B's lock, with its card", "del_removes_the_next_holders_lock", []string{"f"}, 120, 36, palette.OnDark},
	{"late_140", "A late DEL", "a_late_del", []string{"f"}, 140, 45, palette.OnDark},
	{"question_80", "A question", "a_late_del", []string{"G"}, 80, 24, palette.OnLight},
	{"level_120", "A level", "", []string{"b", "enter", "enter", "enter"}, 120, 36, palette.OnDark},
	{"course_80", "The course", "", []string{"c"}, 80, 24, palette.OnDark},
}

// TestPicture draws the pictures of the front page and of docs/looks again.
func TestPicture(t *testing.T) {
	testkit.Single(t)
	for _, l := range looks {
		o := Options{}
		if l.story != "" {
			story, err := scenarios.Find(l.story)
			if err != nil {
				t.Fatal(err)
			}
			o.Story = story
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
		golden(t, "../../docs/looks/"+l.name+".svg", svg(inTrueColour(m, l.on), l.title, l.on))
	}
	story, err := scenarios.Find("del_removes_the_next_holders_lock")
	if err != nil {
		t.Fatal(err)
	}
	m := start(t, Options{Story: story}, 104, 32)
	press(m, "f")
	golden(t, "../../docs/violation.svg", svg(inTrueColour(m, palette.OnDark), "The walkthrough where A's DEL removes B's lock", palette.OnDark))
}

// inTrueColour returns a frame with the colours of the palette.
func inTrueColour(m *Shell, on palette.Background) string {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.TrueColor)
	return paint.New(r, on).Frame(m.Lines())
}
