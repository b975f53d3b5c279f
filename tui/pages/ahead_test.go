package pages

import (
	"slices"
	"strings"
	"testing"
)

// A slowly is a program whose commands have not yet given their messages.
type slowly struct {
	*Shell
	late []Cmd
}

// types presses keys while nothing comes of what they ask for.
func (s *slowly) types(keys ...string) {
	for _, k := range keys {
		cmd := s.Update(keyMsg(k))
		s.late = append(s.late, cmd)
		_ = s.View()
	}
}

// catchUp delivers everything, and what is asked for by that.
func (s *slowly) catchUp() {
	for len(s.late) > 0 {
		cmd := s.late[0]
		s.late = s.late[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case Batch:
			s.late = append(append([]Cmd{}, msg...), s.late...)
		case nil:
		default:
			cmd := s.Update(msg)
			s.late = append(s.late, cmd)
		}
	}
}

// TestKeysTypedAhead: the same keys lead to the same frame, however long the
// program takes to be ready for them.
func TestKeysTypedAhead(t *testing.T) {
	for name, keys := range waysOf("ahead") {

		t.Run(name, func(t *testing.T) {
			o := Options{Explorer: explorer(t)}
			quick, slow := &slowly{Shell: start(t, o, 80, 24)}, &slowly{Shell: start(t, o, 80, 24)}
			for _, k := range keys {
				quick.types(k)
				quick.catchUp()
			}
			slow.types(keys...)
			slow.catchUp()
			if got, want := check(t, slow.Shell), check(t, quick.Shell); got != want {
				t.Errorf("typed ahead:\n%s\nwith all the time there is:\n%s", got, want)
			}
		})
	}
}

// TestChapterTypedAhead: a chapter that was passed through in one go, its questions answered and its levels settled, is done.
func TestChapterTypedAhead(t *testing.T) {
	s := &slowly{Shell: start(t, Options{Explorer: explorer(t)}, 80, 24)}
	s.types(strings.Fields("c down down down down enter right G u G right G u G right right right G right x y f o 1 f right u right u right right")...)
	s.catchUp()
	if at(s.Shell) != "course" || s.chaptersDone() != 1 {
		t.Errorf("%d chapters done:\n%s", s.chaptersDone(), s.View())
	}
}

// TestCellTypedAhead: the key for a cell waits for it; another key takes its
// place.
func TestCellTypedAhead(t *testing.T) {
	for keys, want := range map[string]string{
		"enter": "player", "d": "against", "enter down": "matrix", "enter ? ?": "matrix", "enter esc": "locks",
	} {
		matrix := canned(t, nil)
		m := start(t, Options{Matrix: matrix}, 80, 24)
		cmd := press(m, "m")
		press(m, "right") // what breaks this cell is real
		press(m, strings.Fields(keys)...)
		wantNotIn(t, m, "part 1")
		if len(m.ahead) > 0 {
			wantText(t, m, "The key that you pressed waits for it.")
		}
		for range 2 {
			cmd = m.Update(cmd())
		}
		if at(m) != want {
			t.Errorf("%s leads to %s, want %s", keys, at(m), want)
		}
	}
}

// TestInterruptOvertakes: what ends or stops the program does not wait.
func TestInterruptOvertakes(t *testing.T) {
	for k, want := range map[string]any{"ctrl+c": Interrupt{}, "ctrl+z": Suspend{}} {
		s := &slowly{Shell: start(t, Options{Lock: "setnx-expire"}, 80, 24)}
		s.types("enter", "right", "right")
		if cmd := s.Update(keyMsg(k)); cmd == nil || cmd() != want {
			t.Errorf("%s waits for the story", k)
		}
	}
}

// TestNobodyTypesForEver: what is typed ahead has a bound.
func TestNobodyTypesForEver(t *testing.T) {
	m := start(t, Options{Lock: "setnx-expire"}, 80, 24)
	m.Update(keyMsg("enter"))
	m.Update(Keys(slices.Repeat([]Key{KeyNamed("l")}, 2*maxAhead)))
	if len(m.ahead) != maxAhead {
		t.Errorf("%d keys are kept", len(m.ahead))
	}
}
