package cache

import (
	"os"
	"syscall"
	"time"
)

// Changed is when a file was written, renamed or put in its place: unlike the time of
// writing, nobody sets it.
func Changed(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return info.ModTime()
}
