//go:build !linux

package remote

// sockets says whether a process has a network connection, where that can be known.
func sockets(int) error { return nil }
