//go:build !linux

package cache

import (
	"os"
	"time"
)

// Changed is when a file was written.
func Changed(info os.FileInfo) time.Time { return info.ModTime() }
