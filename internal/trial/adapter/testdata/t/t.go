// Package t has a name that a test has for something else.
package t

import "errors"

// Errors of Lock.
var ErrTaken = errors.New("taken")

// Lock takes nothing.
func Lock() error { return ErrTaken }

// Unlock gives nothing back.
func Unlock() {}
