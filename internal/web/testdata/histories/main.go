// Command histories plays every story there is and prints what happened, to be
// compared between a browser's engine and this machine's.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"lockstep/scenarios"
	"lockstep/sim/history"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	for _, s := range scenarios.Stories() {
		r, err := scenarios.Run(context.Background(), s)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", s.Name, err))
		}
		fmt.Fprintln(out, s.Name, history.Token(r.History.Config, r.History.Schedule))
		if err := history.WriteJSON(out, r.History); err != nil {
			panic(err)
		}
		fmt.Fprintln(out, r.Violations)
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}
