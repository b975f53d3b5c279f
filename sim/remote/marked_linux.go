package remote

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// marked are the processes that have a variable in their environment.
func marked(variable string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		text, err := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && pid != os.Getpid() && slices.ContainsFunc(bytes.Split(text, []byte{0}), func(v []byte) bool { return string(v) == variable }) {
			pids = append(pids, pid)
		}
	}
	return pids
}
