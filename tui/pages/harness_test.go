package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"lockstep/internal/palette"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/tui/paint"
	"lockstep/tui/render"
)

func parse(t testing.TB, text string) *scenarios.Story {
	t.Helper()
	s := testkit.Must(scenarios.Parse("test.txt", "a_story_of_the_test", text))(t)
	return s
}

// View is the frame on a terminal without colours.
func (s *Shell) View() string { return paint.Painter{}.Frame(s.Lines()) }

// colourful is the frame on a terminal with 16 colours.
func colourful(m *Shell) string {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI)
	return paint.New(r, palette.OnUnknown).Frame(m.Lines())
}

// text is lines without their roles.
func text(lines render.Lines) string { return paint.Painter{}.Frame(lines) }

// start is the program after its first messages.
func start(t testing.TB, o Options, w, h int) *Shell {
	t.Helper()
	if o.Progress == nil {
		o.Progress = progress.In(filepath.Join(t.TempDir(), "lockstep"))
	}
	m := New(t.Context(), o)
	t.Cleanup(m.background.end)
	m.glides = false // see TestGlide
	m.run, m.against, m.explain = knownRun, knownAgainst, knownCauses
	m.later = func(time.Duration, any) Cmd { return func() any { return nil } } // a test waits for nothing
	cmd := m.Init()
	m.Update(Size{Width: w, Height: h})
	if cmd != nil {
		m.Update(cmd())
	}
	return m
}

// press sends keys. A story that one of them asks for is run at once, but the
// frame before it comes is drawn, as a terminal would; a tick is not waited for.
func press(m *Shell, keys ...string) Cmd {
	var cmd Cmd
	for _, k := range keys {
		cmd = m.Update(keyMsg(k))
		learnCauses(m)
		_ = m.View()
		if isWaiting(m) && cmd != nil {
			drain(m, cmd)
		}
	}
	return cmd
}

// isWaiting says whether the page waits for what it shows.
func isWaiting(m *Shell) bool {
	return m.page().waits("x") != atOnce
}

// deliverAll hands over a message, or all that a batch of commands gives.
func deliverAll(m *Shell, msg any) {
	batch, several := msg.(Batch)
	if !several {
		cmd := m.Update(msg)
		if _, ok := msg.(answer); ok && cmd != nil {
			m.Update(cmd()) // a part of the course is begun
		}
		return
	}
	for _, cmd := range batch {
		if cmd != nil {
			deliverAll(m, cmd())
		}
	}
}

// drain runs a command and those that come of it, as the program would.
func drain(m *Shell, cmd Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case Batch:
		for _, c := range msg {
			drain(m, c)
		}
	default:
		next := m.Update(msg)
		drain(m, next)
	}
}

func keyMsg(k string) Keys { return Keys{KeyNamed(k)} }

// spaced is punctuation of English between words of Chinese: a mark of half width
// and a space, or a space after a mark of full width.
var spaced = regexp.MustCompile(`\p{Han}[.,;:!?] \S|[：；] [^ ╎]`)

// check fails for a frame that does not fit its terminal, or whose texts were put
// together as only English is.
func check(t testing.TB, m *Shell) string {
	t.Helper()
	learnCauses(m)
	frame := m.View()
	lines := strings.Split(frame, "\n")
	if len(lines) != m.face.Height {
		t.Errorf("%d lines at a height of %d:\n%s", len(lines), m.face.Height, frame)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got > m.face.Width {
			t.Errorf("%d cells at a width of %d: %q", got, m.face.Width, line)
		}
		if found := spaced.FindString(ansi.Strip(line)); found != "" {
			t.Errorf("%q in %q", found, line)
		}
	}
	return frame
}

// forward takes one step, or gives no answer where a question is in the way.
func forward(m *Shell) {
	if _, p := story(m).asking(); p != nil {
		press(m, "u")
		return
	}
	press(m, "right")
}

// table returns the rows of a file of testdata, without its comments. Their fields have |
// between them; those that are missing at the end are empty.
func table(name string) (rows [][]string) {
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line+"|||||||", "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// waysOf reads keys by where they lead; nil for none.
func waysOf(name string) map[string][]string {
	ways := map[string][]string{}
	for _, row := range table(name) {
		ways[row[0]] = nil
		for _, k := range strings.Fields(row[1]) {
			ways[row[0]] = append(ways[row[0]], strings.ReplaceAll(k, "space", " "))
		}
	}
	return ways
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
