// Package live drives a real Redis server: a Server that somebody named, or
// one that was started here and ends with this process. A Space is a part of it
// under a random prefix of its own; a Conn is one connection, over which
// commands are executed with their keys put under the prefix, and every key of
// the space is read in the same transaction.
//
// Nothing outside the prefix is touched: a command whose keys are not known is
// refused before it is sent (commands.go, script.go). On a server that was not
// started here every key that a command leaves without a TTL gets one in the
// same transaction (conn.go), so that nothing stays even if this process is
// killed.
//
// Start with Conn.Do.
package live
