package server

import (
	"sync"

	"github.com/alicebob/miniredis/v2"
)

// idle holds miniredis servers without data, for the next nodes: most of the work of
// starting one is to tell it its two hundred commands.
var idle sync.Pool

// newMini returns a server in its first state, but for its clock.
func newMini() (*miniredis.Miniredis, error) {
	if mini, ok := idle.Get().(*miniredis.Miniredis); ok {
		return mini, nil
	}
	mini := miniredis.NewMiniRedis()
	// The first Dial starts the server without a socket. The world dispatches
	// commands itself and closes the connection.
	c, err := mini.Dial()
	if err != nil {
		return nil, err
	}
	return mini, c.Close()
}

// end empties the node's server and leaves it to another node. Connections belong
// to the node, and so do channels, which the server never hears of.
func (n *Embedded) end() {
	mini := n.mini
	if mini == nil {
		return // it has ended
	}
	n.mini = nil
	mini.Server().SetPreHook(nil)
	mini.FlushAll()
	mini.Server().Dispatch(newPeer("").Peer, []string{"SCRIPT", "FLUSH"})
	idle.Put(mini)
}
