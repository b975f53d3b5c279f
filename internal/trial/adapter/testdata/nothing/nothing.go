// Package nothing exports nothing that could be a lock.
package nothing

var Key = key()

func key() string { return "lock" }
