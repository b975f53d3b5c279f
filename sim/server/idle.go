package server

import (
	"sync"

	"github.com/alicebob/miniredis/v2"
)

// idle holds engines without data, for the next states: most of the work of starting a
// miniredis is to tell it its two hundred commands. They keep their scripts, each of which
// would be compiled again.
var idle sync.Pool

// idleEngine returns an engine without data. Of its fields only mini and scripts are set.
func idleEngine() (*engine, error) {
	if n, ok := idle.Get().(*engine); ok {
		return n, nil
	}
	mini := miniredis.NewMiniRedis()
	// The first Dial starts the server without a socket. The engine dispatches
	// commands itself and closes the connection.
	c, err := mini.Dial()
	if err != nil {
		return nil, err
	}
	return &engine{mini: mini, scripts: map[string]string{}}, c.Close()
}

// end empties the miniredis and leaves it to another state. Connections belong
// to the state, and so do channels, which the server never hears of.
func (n *engine) end() {
	n.mini.Server().SetPreHook(nil)
	n.mini.FlushAll()
	idle.Put(&engine{mini: n.mini, scripts: n.scripts})
}
