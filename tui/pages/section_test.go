package pages

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// inSections opens a story in a face that has elements, at a row counted from 1.
func inSections(t testing.TB, name string, at int) *Shell {
	t.Helper()
	stories := scenarios.Stories()
	i := slices.IndexFunc(stories, func(s *scenarios.Story) bool { return s.Name == name })
	m := start(t, Options{Browser: true, NoAnimation: true, Story: stories[i], At: at}, 100, 30)
	press(m, "home")
	for range at - 1 {
		press(m, "right")
	}
	return m
}

func kinds(f *Frame) (out []Kind) {
	for _, s := range f.Sections {
		out = append(out, s.Kind)
	}
	return out
}

// sectionOf returns the first section of a kind.
func sectionOf(t testing.TB, f *Frame, kind Kind) Section {
	t.Helper()
	s := f.Section(kind)
	if s.Kind != kind {
		t.Fatalf("no section %q among %q", kind, kinds(f))
	}
	return s
}

// TestSectionsOfAStory: each row up to the cursor once and none after it, an answer presses its
// key, and lines are as long as their texts.
func TestSectionsOfAStory(t *testing.T) {
	m := inSections(t, "a_late_del", 25)
	p := m.page().(*storyPage)
	f := m.Frame()
	if want := []Kind{ProseSection, StepsSection, CodeSection, AskSection, StateSection, StateSection, StateSection}; !slices.Equal(kinds(f), want) {
		t.Errorf("sections %q, want %q", kinds(f), want)
	}
	steps := sectionOf(t, f, StepsSection)
	if len(steps.Rows) != 25 {
		t.Fatalf("%d rows, want 25", len(steps.Rows))
	}
	for i, row := range steps.Rows {
		said := p.run.Rows[i].Said().In(m.Language())
		if i == 0 { // instead of the line of the world, which authors have at its command
			said = "set-del: A, B, C, D"
		}
		if row.N != i+1 || row.Text != said {
			t.Errorf("row %d is %+v, want %q", i+1, row, said)
		}
		if violated := len(p.run.Rows[i].Found) > 0; (row.Class == "alarm") != violated {
			t.Errorf("row %d is %q, want violated %v", i+1, row.Class, violated)
		}
	}
	asked := sectionOf(t, f, AskSection).Lines
	for i, press := range []string{"1", "2", "3"} {
		if line := asked[i+1]; line[0].Press != press {
			t.Errorf("answer %q presses %q, want %q", line.Text(), line[0].Press, press)
		}
	}
	for _, part := range f.Sections {
		for _, line := range part.Lines {
			if text := line.Text(); part.Kind != CodeSection && part.Kind != StateSection && (strings.HasSuffix(text, "..") || strings.Contains(strings.TrimSpace(text), "    ")) {
				t.Errorf("%s: %q is cut or padded", part.Kind, text)
			}
		}
	}
}

// TestWhatCameOfAStep: a check says what it has found.
func TestWhatCameOfAStep(t *testing.T) {
	m := start(t, Options{Browser: true}, 140, 40)
	if got := sectionOf(t, m.Frame(), StepsSection).Said; !strings.Contains(got, "VIOLATED lock-recovers") {
		t.Errorf("after the check of setnx: %q", got)
	}
	if got := sectionOf(t, inSections(t, "a_late_del", 5).Frame(), StepsSection).Said; got != "" {
		t.Errorf("after a step: %q", got)
	}
}

// TestStepsUpToTheCursor: the last rows are shown, with their own numbers.
func TestStepsUpToTheCursor(t *testing.T) {
	m := inSections(t, "a_late_del", 1)
	d := m.page().(*storyPage).picture.of(m.page().(*storyPage).run)
	last := len(d.Run.Rows) - 1
	for at := range d.Run.Rows {
		st := m.stepsOf(d, at, "", nil)
		if got := st.Rows[len(st.Rows)-1].N; got != at+1 || len(st.Rows) != min(at+1, mostSteps) || st.Rows[0].N != max(0, at+1-mostSteps)+1 {
			t.Errorf("at %d of %d: %d rows from %d to %d", at, last, len(st.Rows), st.Rows[0].N, got)
		}
	}
}

// TestTable: the matrix is a table of all locks and hazards, with a cursor, and the cell
// there below it.
func TestTable(t *testing.T) {
	m := start(t, Options{Browser: true, Matrix: canned(t, nil)}, 60, 20)
	press(m, "m", "down", "down", "right")
	f := m.Frame()
	table := sectionOf(t, f, TableSection)
	if table.Here != [2]int{2, 1} {
		t.Errorf("the cursor is at %d", table.Here)
	}
	b := m.page().(*matrixPage).board
	if want := 1 + len(b.source.Locks); len(table.Lines) != want {
		t.Errorf("%d lines, want %d", len(table.Lines), want)
	}
	for _, line := range table.Lines {
		if want := 1 + len(b.source.Hazards); len(line) != want {
			t.Errorf("%q has %d spans, want %d", line.Text(), len(line), want)
		}
	}
	if about := sectionOf(t, f, AboutSection); about.Title != m.page().(*matrixPage).cellName() {
		t.Errorf("below it is %q", about.Title)
	}
	if _, right := m.page().status(); right != "" {
		t.Errorf("a part is shown: %q", right)
	}
}

// TestCompareInSections: two runs up to the same step, each with its verdict, and the row
// at which they part.
func TestCompareInSections(t *testing.T) {
	m := opened(t, Options{Browser: true}, 100, 30)
	press(m, "down", "down", "d", "enter", "G")
	p, f := m.page().(*comparePage), m.Frame()
	if want := []Kind{ProseSection, StepsSection, StepsSection}; !slices.Equal(kinds(f), want) {
		t.Fatalf("sections %q, want %q", kinds(f), want)
	}
	for i, part := range f.Sections[1:] {
		side := p.side(i)
		if last := part.Rows[len(part.Rows)-1].N; last != side.At+1 || part.Title != side.Name {
			t.Errorf("%s ends at row %d, want %s at %d", part.Title, last, side.Name, side.At+1)
		}
		if got := part.Lines[0].Text(); !strings.Contains(got, side.Says) {
			t.Errorf("%s: %q, want %q", side.Name, got, side.Says)
		}
		for _, row := range part.Rows {
			if row.Parts != (row.N == side.Parts+1) {
				t.Errorf("%s: row %d parts: %v, want row %d", side.Name, row.N, row.Parts, side.Parts+1)
			}
		}
	}
}

// TestCausesHaveTheirNumbers: a cause on the card has the number that is on its row of
// the diagram, and its line leads there.
func TestCausesHaveTheirNumbers(t *testing.T) {
	m := inSections(t, "a_late_del", 25)
	press(m, "1", "right") // an answer, and on to the violation
	f := m.Frame()
	causes := map[int]string{}
	for _, row := range sectionOf(t, f, StepsSection).Rows {
		if row.Cause > 0 {
			causes[row.Cause] = strconv.Itoa(row.Cause) + " step " + strconv.Itoa(row.N)
		}
	}
	if len(causes) == 0 {
		t.Fatal("no cause in the diagram")
	}
	for n, want := range causes {
		if !slices.ContainsFunc(sectionOf(t, f, CardSection).Lines, func(l render.Line) bool {
			return strings.HasPrefix(l.Text(), want) && len(l) > 0 && l[0].Press == strconv.Itoa(n)
		}) {
			t.Errorf("no line of the card begins with %q and leads there", want)
		}
	}
}

// everyWay leads to every kind of page, by keys from the first one.
func everyWay() map[string][]string {
	ways := waysOf("ways")
	maps.Copy(ways, placed)
	return ways
}

// TestNothingBeside: in a browser no text is laid out in columns of cells: it would be joined
// line by line. What is meant to be, such as keys with their times, is a section of a kind
// that keeps its blanks.
func TestNothingBeside(t *testing.T) {
	beside := func(name string, m *Shell) {
		learnCauses(m)
		for _, section := range m.Frame().Sections {
			if slices.Contains([]Kind{CodeSection, StateSection, StepsSection, TableSection, KeysSection}, section.Kind) {
				continue
			}
			for _, line := range section.Lines {
				for i, span := range line {
					if span.Role == render.Number {
						break // source
					}
					if span.Role == render.Bar || regexp.MustCompile(`\S {3,}\S`).MatchString(span.Text) || i+1 < len(line) && strings.HasSuffix(span.Text, "   ") {
						t.Errorf("%s, %T, %s: %q", name, m.page(), section.Kind, line.Text())
					}
				}
			}
		}
	}
	for name, keys := range everyWay() {
		m := start(t, Options{Matrix: computed(t), Browser: true}, mostWidth, mostHeight)
		press(m, keys...)
		beside(name, m)
	}
	m := atLevel(t, Options{Explorer: explorer(t), Browser: true}, "oversell", mostWidth, mostHeight)
	longWay(t, m)
	press(m, "d")
	beside("two ways", m)
}

// TestBrowserNamesNoCommand: no text in a browser, where nobody can enter a command, names
// one: on every kind of page, and in every part of the course, in both languages.
func TestBrowserNamesNoCommand(t *testing.T) {
	command := regexp.MustCompile(`(?i)\b(lockstep (run|replay|show|list|help|export|explore|matrix|check|exercise|course|web|--)|go run)\b`)
	for _, lang := range testkit.Some(t, prose.Languages(), 1, 1) {
		ways := everyWay()
		m := start(t, Options{Lang: lang, Matrix: computed(t), Browser: true}, mostWidth, mostHeight)
		for _, c := range m.course.Chapters {
			for _, part := range partsOf(c) {
				ways[Place{Kind: "course", Name: c.ID, Part: string(part)}.String()] = nil
			}
		}
		for name, keys := range ways {
			m := m
			if keys != nil {
				m = start(t, Options{Lang: lang, Matrix: computed(t), Browser: true}, mostWidth, mostHeight)
				press(m, keys...)
			} else {
				goTo(t, m, name)
			}
			learnCauses(m)
			f := m.Frame()
			said := []string{f.Title[0], f.Title[1], f.Status[0], f.Status[1], f.Notice, f.Says, fmt.Sprint(f.Words)}
			for _, s := range f.Sections {
				for _, line := range s.Lines {
					said = append(said, line.Text())
				}
			}
			if found := command.FindString(strings.Join(said, "\n")); found != "" {
				t.Errorf("%s, %s: %q in %q", lang, name, found, said)
			}
		}
	}
}
