package pages

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/tui/paint"
)

// TestPicture draws the pictures of docs/looks again.
func TestPicture(t *testing.T) {
	testkit.Single(t)
	for _, look := range table("looks") {
		o, w, h, on, keys := Options{Matrix: aPartOfTheMatrix(t)}, number(look[1]), number(look[2]), palette.Background(look[3]), strings.Fields(look[7])
		if look[6] != "" {
			o.Story = theStory(t, look[6])
		}
		m := start(t, o, w, h)
		for _, k := range keys {
			if cmd := press(m, answered(m, k)); at(m) != "game" { // a level waits for its proof as long as it is open
				drain(m, cmd)
			}
		}
		if len(keys) == 0 {
			drain(m, m.Update(Size{Width: w, Height: h}))
		}
		wantIn(t, m, look[5])
		golden(t, "../../docs/looks/"+look[0]+".svg", svg(inTrueColour(m, on), look[4], on))
	}
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
	m.Compute = func(ctx context.Context, report func(...explore.Report)) error {
		_, err := explore.Matrix(ctx, locks, hazards, explore.Within(explore.Bounds{States: 5_000, Unbroken: 50_000, Depth: 100}, "A", "B"), 1, nil, func(_, _ int, c explore.Report) { report(c) })
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
