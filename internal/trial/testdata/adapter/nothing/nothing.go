// Package nothing has no lock.
package nothing

func New() int { return 0 }
