package explore

// Beside the states, a search takes about so many bytes for each of these.
const (
	bytesPerEnd    = 24
	bytesPerAnswer = 150 // whether the lock recovers from a state, or what a world on the way there comes to
)

// bytes estimates how much memory the search takes.
func (e *search) bytes() int { return e.Model.Bytes() + e.states.bytes() + bytesPerEnd*len(e.ends) }

// full says whether the search takes more memory than it may.
func (e *search) full() bool { return e.bounds.Memory > 0 && e.bytes() > e.bounds.Memory }

// overfull says whether it does so with what is asked of its states afterwards,
// which may take half as much again: a search that was full still tells what
// can be told of what it has found.
func (e *search) overfull(more int) bool {
	return e.bounds.Memory > 0 && e.bytes()+more > e.bounds.Memory+e.bounds.Memory/2
}
