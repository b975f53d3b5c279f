package lesson

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// A Band is who believes and who owns after one row.
type Band struct {
	Holds     []Hold // of each client
	Owners    []int8 // of the key on each node: a client's index, or -1
	Owner     int8   // the same for the lock as a whole
	Believers int    // how many clients believe that they hold the lock
}

// A Hold is what a client believes about the lock, and whether that is true.
type Hold byte

// The beliefs. Only a Snapshot has Unprotected.
const (
	NotHeld Hold = iota
	Held
	AtWork
	Wrongly // it believes that it holds the lock but does not own it
	Dead
	Unprotected // it is in the critical section and does not believe that it holds the lock
)

// holdOf returns what a client believes.
func holdOf(h history.History, m *history.Monitor, name string) Hold {
	switch {
	case !m.Alive(name):
		return Dead
	case m.Holds(name) && h.Nodes > 0 && !m.Owns(name):
		return Wrongly
	case m.Holds(name) && m.Inside(name):
		return AtWork
	case m.Holds(name):
		return Held
	}
	return NotHeld
}

func (r *Run) bandOf(m *history.Monitor) Band {
	names := r.History.Config.Clients
	b := Band{Holds: make([]Hold, len(names)), Owners: make([]int8, len(r.Nodes)), Owner: -1}
	for i, name := range names {
		b.Holds[i] = holdOf(r.History, m, name)
		if m.Holds(name) {
			b.Believers++
		}
		if m.Owns(name) {
			b.Owner = int8(i)
		}
	}
	for i, node := range r.Nodes {
		b.Owners[i] = int8(slices.Index(names, m.Owner(node)))
	}
	return b
}

// Initials gives each client one character: the first of its name if these
// differ, else the last, else its number.
func Initials(names []string) []string {
	for _, at := range []func(string) string{
		func(s string) string { return s[:1] }, func(s string) string { return s[len(s)-1:] },
	} {
		var out []string
		for _, name := range names {
			if c := at(name); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
		if len(out) == len(names) {
			return out
		}
	}
	return strings.Split("123456789abcdefghijklmnopqrstuvwxyz"[:len(names)], "")
}

// Alike reports whether two runs agree at a row of each: on who believes that
// they hold the lock, who owns it, who is alive, and the effect on the resource.
func Alike(a *Run, at int, b *Run, bt int) bool {
	x, y := a.Rows[at].Band, b.Rows[bt].Band
	return slices.Equal(x.Holds, y.Holds) && x.Owner == y.Owner && a.At(at).Effect == b.At(bt).Effect
}
