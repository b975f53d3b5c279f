package pages

// A face is what shows the pages and is looked at: a terminal, a browser. It calls
// Update with what happens there, runs the commands that come of it, calls Update with
// what they return, and draws what View says.

// What happens there.
type (
	Size  struct{ Width, Height int }
	Keys  []Key // pressed in a row; they may come at once
	Click struct{ X, Y int }
	Wheel struct{ Up bool }

	// StuckNews is that code is stuck, or that this is over.
	StuckNews struct {
		Stuck Stuck
		Over  bool
	}
)

// A Key is a press of a key: its name, as Bubble Tea has it, and what it writes. What
// is pasted has no name.
type Key struct{ Name, Text string }

// KeyNamed is the press of a key with a name. One of a letter writes it.
func KeyNamed(name string) Key {
	if len([]rune(name)) == 1 {
		return Key{name, name}
	}
	return Key{Name: name}
}

// A Cmd is work beside the face, which may wait. What it returns is for Update, but for
// these, which are for the face.
type Cmd func() any

type (
	Batch     []Cmd // to be run side by side
	Quit      struct{}
	Interrupt struct{}
	Suspend   struct{}
)

// together are several commands, as one.
func together(cmds ...Cmd) Cmd {
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
