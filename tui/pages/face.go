package pages

// A face shows the pages: a terminal or a browser. It calls Update with each event,
// runs the commands that Update returns, calls Update with their results, and draws the
// View.

// The events of a face.
type (
	Size  struct{ Width, Height int }
	Keys  []Key // pressed in a row; they may come at once
	Click struct{ X, Y int }
	Wheel struct{ Up bool }

	// StuckNews reports that code is stuck, or no longer stuck.
	StuckNews struct {
		Stuck Stuck
		Over  bool
	}
)

// A Key is a key press: its name in Bubble Tea and the text that it types. Pasted text
// has no name.
type Key struct{ Name, Text string }

// KeyNamed returns the press of a named key. A letter types itself.
func KeyNamed(name string) Key {
	if len([]rune(name)) == 1 {
		return Key{name, name}
	}
	return Key{Name: name}
}

// A Cmd is work beside the face, which may wait. Its result goes to Update, except for
// these, which go to the face.
type Cmd func() any

type (
	Batch     []Cmd // to be run side by side
	Quit      struct{}
	Interrupt struct{}
	Suspend   struct{}
)

// batch combines several commands.
func batch(cmds ...Cmd) Cmd {
	var some Batch
	for _, c := range cmds {
		if c != nil {
			some = append(some, c)
		}
	}
	switch len(some) {
	case 0:
		return nil
	case 1:
		return some[0]
	}
	return func() any { return some }
}
