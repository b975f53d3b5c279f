package lesson

import (
	"slices"
	"strings"
)

// A Hold is what a client believes about the lock, and whether that is true.
type Hold byte

// The beliefs.
const (
	NotHeld Hold = iota
	Held
	AtWork
	Wrongly // it believes that it holds the lock but does not own it
	Dead
	Unprotected // it is in the critical section and does not believe that it holds the lock
)

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
	x, y := a.Rows[at].Now, b.Rows[bt].Now
	lock := func(c Client) Hold {
		if c.Hold == Unprotected { // which is no belief
			return NotHeld
		}
		return c.Hold
	}
	return slices.EqualFunc(x.Clients, y.Clients, func(a, b Client) bool { return lock(a) == lock(b) }) && x.Owner == y.Owner && x.Effect == y.Effect
}
