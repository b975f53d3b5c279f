// Command lockstep shows how distributed locks on Redis break, and checks
// whether one does.
//
// Without arguments it opens the walkthrough. `lockstep help` names the rest;
// `lockstep help exit-codes` says what a script can rely on.
package main

import (
	"os"

	"lockstep/internal/cli"
)

func main() { os.Exit(cli.Main()) }
