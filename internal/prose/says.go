package prose

import (
	"strings"

	"lockstep/internal/lang"
)

// Facts are the values in a sentence about a run. Each may be empty.
type Facts struct {
	Client, Other string // who did it, or to whom it happened; who else is concerned
	// Commands by name, and the source lines that sent them. In a sentence, Cmd and
	// OtherCmd include their lines.
	Cmd, Line, OtherCmd, OtherLine string
	Key, Node                      string // Node may be several
	At, From, To, Lease            string // moments, and a length of time
	Before, After, Reply           string // values
	Resource, Invariant            string
	Lock, Own                      string // another lock, and that of the run
	Hazard                         string // by its id
	Shown                          string // a line of a transcript
	N, M                           int64
}

// Say returns a sentence about a run. Without a text it returns the id, so that a
// mistake is visible.
func (b *Book) Say(id string, f Facts) string {
	if f.Invariant != "" {
		f.Invariant = b.InvariantName(f.Invariant)
	}
	if code := b.Lock(f.Lock).Code; code != "" && b.Lock(f.Own).Name == "" { // in terms of a lock that is not in the catalogue
		f.Lock, f.Own = code, ""
	}
	if f.Hazard != "" {
		f.Hazard = b.Fill("hazard", TextFacts{Hazard: f.Hazard, What: b.Hazard(f.Hazard).Name})
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

// command writes a command with its source line.
func (b *Book) command(cmd, line string) string {
	text, err := execute(b.phrases["says.command"], Facts{Cmd: cmd, Line: line})
	if err != nil || cmd == "" {
		return cmd
	}
	return text
}
