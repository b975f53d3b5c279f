// Package live drives a real Redis server: one that the user names, or one that
// Lockstep starts and that ends with this process. A Space is a part of it
// under a random prefix. A Conn is one connection; it executes commands with
// the prefix on their keys, and reads all keys of the space in the same
// transaction.
//
// It touches nothing outside the prefix: it refuses commands with unknown keys
// before it sends them (commands.go, script.go). On a server that Lockstep did
// not start, a key that a command leaves without a TTL gets one in the same
// transaction (conn.go), so that no key stays even if this process is killed.
//
// Start with Conn.Do.
package live
