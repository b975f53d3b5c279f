// Command lockstep shows how distributed locks on Redis break, and checks
// whether one does.
//
// Without arguments it opens the walkthrough. `lockstep help` names the rest;
// `lockstep help exit-codes` says what a script can rely on.
package main

import (
	"embed"
	"os"

	"lockstep/internal/cli"
)

// carried is what a test of a lock needs, without tests: a pattern names files by how their
// names end.
//
//go:embed go.mod go.sum
//go:embed locktest/*[^t].go sim/*[^t].go sim/*[^s]t.go sim/*/*[^t].go sim/*/*[^s]t.go sim/*/*[^e]st.go sim/*/*[^t]est.go
//go:embed sim/bubble/guest/*[^t].go sim/internal/pairs/*[^t].go strategies/*[^t].go strategies/*[^s]t.go
//go:embed scenarios/*[^t].go scenarios/*[^s]t.go scenarios/stories/*.txt scenarios/*.toml scenarios/README*.md
//go:embed internal/cache/*[^t].go internal/explain/*[^t].go internal/explain/*[^s]t.go internal/explain/*[^e]st.go internal/files/*[^t].go internal/gotool/*[^t].go
//go:embed internal/lang/*[^t].go internal/lang/*[^t]est.go internal/lesson/*[^t].go internal/lesson/*[^s]t.go internal/parallel/*[^t].go
//go:embed internal/phrase/*[^t].go internal/prose/*[^t].go internal/prose/*/*.toml internal/carried/*[^t].go internal/trial/*[^t].go internal/trial/*[^s]t.go
var carried embed.FS

func main() { os.Exit(cli.Main(carried)) }
