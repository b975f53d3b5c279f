package history

import (
	"fmt"
	"slices"
	"strings"
)

// A Line is one or more events as one line of a transcript.
type Line struct {
	Seq    int    // its first event
	Last   int    // its last event
	Who    string // a client, a strand such as A/1, a node, or "" for the world
	Text   string
	Source string // file and line of the strategy, for a command
}

// Lines writes events as a transcript does: a command that was sent, applied
// and answered without anything in between is one line.
func Lines(events []Event, nodes int) []Line {
	var lines []Line
	for i := 0; i < len(events); i++ {
		e := events[i]
		n := together(events[i:])
		text := describe(events[i:i+n], nodes)
		if text != "" {
			lines = append(lines, Line{e.Seq, events[i+n-1].Seq, who(e), text, e.Source})
		}
		i += n - 1
	}
	return lines
}

// together says how many events at the front are one command's own.
func together(events []Event) int {
	n := 1
	if events[0].Kind != Request && events[0].Kind != Apply {
		return n
	}
	for n < len(events) && events[n].Call == events[0].Call &&
		(events[n].Kind == Apply || events[n].Kind == Reply) {
		n++
	}
	return n
}

func who(e Event) string {
	if e.Client == "" {
		return e.Node // of an expiry, or of a node's fault
	}
	return StrandName(e.Client, e.Strand)
}

// describe returns "" for events that a transcript leaves out.
func describe(events []Event, nodes int) string {
	first, last := events[0], events[len(events)-1]
	switch first.Kind {
	case Request, Apply, Reply:
		at := ""
		if nodes > 1 {
			at = first.Node + " "
		}
		return at + command(first, last)
	case Return:
		return first.Op + " -> " + first.Outcome + fencedBy(first)
	case Fail:
		return first.Op + " failed: " + first.Text
	case Unknown:
		return first.Op + " -> unknown: " + first.Text
	case Panic:
		return "panicked: " + first.Text
	case Broken:
		return brokenText(first)
	case TimeOut:
		return "no reply after " + first.By.String() + ": time-out"
	case Sleep:
		return "sleeps " + first.By.String()
	case Read:
		return "reads its clock: " + first.Text
	case Clock:
		return fmt.Sprintf("time %v -> %v", first.At-first.By, first.At)
	case Expire:
		return expired(first)
	case Fault:
		return fault(first)
	case Resource:
		return resource(first)
	case Start:
		return first.Text + " starts"
	case End:
		return first.Text + " ends"
	}
	return ""
}

func command(first, last Event) string {
	text := CommandText(first.Cmds)
	if last.Kind == Request {
		return text + " is on the way"
	}
	reply := last.Reply
	if strings.HasPrefix(reply, noScript) {
		reply = noScript // go-redis now sends the script itself
	}
	text += " -> " + reply
	if last.Outcome == Unread {
		return text + ", and nobody waits for the reply"
	}
	if last.Kind == Apply {
		return text + ", reply on the way"
	}
	return text
}

const noScript = "(error) NOSCRIPT"

// CommandText writes a command, or MULTI to EXEC, on one line. A script is
// shortened to its name, and options stand in capitals, as Redis documents
// them, in whatever case the client sent them.
func CommandText(cmds [][]string) string {
	var parts []string
	for _, cmd := range cmds {
		words := slices.Clone(cmd)
		for i := 1; i < len(cmd); i++ {
			switch {
			case cmd[0] == "EVAL" && i == 1:
				words[i] = "{script}"
			case cmd[0] == "EVALSHA" && i == 1:
				words[i] = "{" + cmd[i][:min(6, len(cmd[i]))] + "}"
			case cmd[0] == "SET" && i > 2, cmd[0] == "DELEX" && i == 2:
				if upper := strings.ToUpper(cmd[i]); slices.Contains(options, upper) {
					words[i] = upper
				}
			}
		}
		parts = append(parts, strings.Join(words, " "))
	}
	return strings.Join(parts, "; ")
}

// options are the words that SET and DELEX take after their key and value.
var options = []string{"NX", "XX", "EX", "PX", "EXAT", "PXAT", "KEEPTTL", "GET", "IFEQ", "IFNE"}

func fencedBy(e Event) string {
	if e.Fence != 0 {
		return fmt.Sprintf(", fencing token %d", e.Fence)
	}
	return ""
}

func brokenText(e Event) string {
	if e.Op == NoServer {
		return fmt.Sprintf("%s refuses the connection: %s was not executed", e.Node, CommandText(e.Cmds))
	}
	return fmt.Sprintf("the connection to %s ends before the reply to %s", e.Node, CommandText(e.Cmds))
}

func resource(e Event) string {
	switch e.Op {
	case Enter:
		return "enters the critical section"
	case Leave:
		return "leaves the critical section"
	case Abandon:
		return "stops its work: it was told that the lease is lost"
	case ReadOp:
		return fmt.Sprintf("reads %s = %d%s", e.Text, e.Value, fencedBy(e))
	case WriteOp:
		return fmt.Sprintf("writes %s = %d%s", e.Text, e.Value, fencedBy(e))
	case Refuse:
		return fmt.Sprintf("the resource refuses %s = %d%s", e.Text, e.Value, fencedBy(e))
	}
	return e.Op
}
