package program

// Calls gives the operations of a client the numbers that they have in the world,
// by their place among its own. Without Number that is their number.
type Calls struct {
	Number func() int
	known  []int
}

// Renumber puts the number of an operation where its place is, from 1; 0 stays.
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
