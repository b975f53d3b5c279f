//go:build !unix

package tui

import "os"

// continued does nothing: other systems stop no process.
func continued(chan os.Signal) {}
