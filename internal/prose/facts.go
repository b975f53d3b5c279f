package prose

import (
	"strings"

	"lockstep/internal/lang"
)

// Facts are what a sentence about a run may speak of, as they are written there.
// Each may be empty.
type Facts struct {
	Client, Other string // who did it, or to whom it happened; who else is concerned
	// Commands by their names, and the lines of the strategy that sent them. In a
	// sentence, Cmd and OtherCmd have their lines with them.
	Cmd, Line, OtherCmd, OtherLine string
	Key, Node                      string // Node may be several
	At, From, To, Lease            string // moments, and a length of time
	Before, After, Reply           string // values
	Resource, Invariant            string
	Lock, Own                      string // another lock, and that of the run
	Shown                          string // a line of a transcript
	N, M                           int64
}

// Say returns a sentence about a run. One that nobody has written is its id, so
// that a mistake is never silent.
func (b *Book) Say(id string, f Facts) string {
	if f.Invariant != "" {
		f.Invariant = b.InvariantName(f.Invariant)
	}
	f.Node = lang.Names(strings.Split(f.Node, ", ")).In(b.Language())
	f.Cmd = b.command(f.Cmd, f.Line)
	f.OtherCmd = b.command(f.OtherCmd, f.OtherLine)
	text, err := execute(b.phrases["says."+id], f)
	if err != nil {
		return id
	}
	return strings.ReplaceAll(text, "\uff09 ", "\uff09") // a full-width bracket needs no space
}

// command writes a command with the line that sent it.
func (b *Book) command(cmd, line string) string {
	text, err := execute(b.phrases["says.command"], Facts{Cmd: cmd, Line: line})
	if err != nil || cmd == "" {
		return cmd
	}
	return text
}
