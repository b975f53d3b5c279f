package program

// Calls maps the numbers of a client's operations, counted from 1 within that
// client, to their numbers in the world. If Number is nil, they stay the same.
type Calls struct {
	Number func() int
	known  []int
}

// Renumber replaces an operation's number within its client by its number in
// the world. 0 stays.
func (c *Calls) Renumber(call *int) {
	for len(c.known) < *call {
		next := len(c.known) + 1
		if c.Number != nil {
			next = c.Number()
		}
		c.known = append(c.known, next)
	}
	if *call > 0 {
		*call = c.known[*call-1]
	}
}
