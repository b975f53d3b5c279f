package cli

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) writeVersion(*cobra.Command) error {
	_, err := a.out.WriteString(version())
	return err
}

// shown are the modules that can change the outcome of a run.
var shown = []string{"github.com/redis/go-redis/v9", "github.com/alicebob/miniredis/v2", "github.com/go-zookeeper/zk", "modernc.org/sqlite"}

// version is the build information, one fact a line.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "lockstep, built without module information\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "lockstep %s\n", info.Main.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
			fmt.Fprintf(&b, "%s %s\n", s.Key, s.Value)
		}
	}
	for _, dep := range info.Deps {
		if slices.Contains(shown, dep.Path) {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			fmt.Fprintf(&b, "%s %s\n", dep.Path, dep.Version)
		}
	}
	fmt.Fprintf(&b, "%s\n", info.GoVersion)
	return b.String()
}
