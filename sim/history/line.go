package history

import (
	"slices"
	"strings"

	"lockstep/internal/lang"
)

// A Line is one line of a transcript: one or more events, or what else it says.
type Line struct {
	Seq    int    // its first event
	Last   int    // its last event
	Who    string // a client, a strand such as A/1, a node, or "" for the world
	Text   lang.Message
	Source string // file and line of the strategy, for a command
	Apart  bool   // it is about no moment of the run
	// Broken is what is violated, in the place of a text, and Times how often it
	// is, if more than once.
	Broken *Violation
	Times  int
	// Undecided is set where it says why an invariant could not be decided.
	Undecided bool
}

// Said is the line with who it is about.
func (l Line) Said() lang.Message {
	if l.Who == "" {
		return l.Text
	}
	return lang.New("%s %s", l.Who, l.Text)
}

// LineOf returns the line of a transcript that tells of an event; ok is false
// where none does.
func (h History) LineOf(seq int) (l Line, ok bool) {
	for _, l := range Lines(h.Events, h.Nodes) {
		if l.Seq <= seq && seq <= l.Last {
			return l, true
		}
	}
	return Line{}, false
}

// Lines writes events as a transcript does: a command that was sent, applied
// and answered without anything in between is one line.
func Lines(events []Event, nodes int) []Line {
	var lines []Line
	for i := 0; i < len(events); i++ {
		e := events[i]
		n := together(events[i:])
		text := describe(events[i:i+n], nodes)
		if !text.None() {
			lines = append(lines, Line{Seq: e.Seq, Last: events[i+n-1].Seq, Who: who(e), Text: text, Source: e.Source})
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
		(events[n].Kind == Apply || events[n].Kind == Reply || events[n].Kind == Wait) {
		n++
	}
	return n
}

func who(e Event) string {
	if e.Client == "" || e.Kind == Push {
		return e.Node // of an expiry, of a node's fault, of a message that it sends
	}
	return StrandName(e.Client, e.Strand)
}

// describe says nothing of events that a transcript leaves out.
func describe(events []Event, nodes int) lang.Message {
	first, last := events[0], events[len(events)-1]
	switch first.Kind {
	case Request, Apply, Reply, Wait:
		at := ""
		if nodes > 1 {
			at = first.Node + " "
		}
		return command(at, first, last)
	case Push:
		return lang.New("sends %s %s", first.Client, first.Reply)
	case Receive:
		return lang.New("receives %s", first.Reply)
	case Return:
		return fenced(ended(first), first)
	case Fail:
		return lang.New("%v failed: %s", lang.Word(first.Op), first.Text)
	case Unknown:
		return lang.New("%v -> unknown: %s", lang.Word(first.Op), first.Text)
	case Panic:
		return lang.New("panicked: %s", first.Text)
	case Blocked:
		return lang.New("waits, and no timer or goroutine of its own brings it further within %s", first.By)
	case Broken:
		return broken(first)
	case TimeOut:
		return lang.New("no reply after %s: timeout", first.By)
	case Sleep:
		return lang.New("sleeps %s", first.By)
	case Read:
		return lang.New("reads its clock: %s", first.Text)
	case Clock:
		return lang.New("time %s -> %s", first.At-first.By, first.At)
	case Expire:
		if gone := first.Changes[0].Before; gone != nil && gone.Type == Ephemeral {
			return lostKeys(first, "%s goes with the session of %s")
		}
		return lostKeys(first, "%s expires (was %s)")
	case Fault:
		return fault(first)
	case Resource:
		return resource(first)
	case Start:
		return lang.New("%s starts", lang.Word(first.Text))
	case End:
		return lang.New("%s ends", lang.Word(first.Text))
	}
	return lang.Message{}
}

// The names of the threads that the locks of the catalogue start. Another lock's
// threads are called as its code calls them.
var _ = []lang.Word{"watchdog", "listener"}

func command(at string, first, last Event) lang.Message {
	sent := lang.Quote(at + CommandText(first.Cmds))
	if last.Kind == Request {
		return lang.New("%s is on the way", sent)
	}
	if last.Kind == Wait {
		return lang.New("%s waits at the node", sent)
	}
	reply := last.Reply
	if strings.HasPrefix(reply, noScript) {
		reply = noScript // go-redis now sends the script itself
	}
	answered := lang.New("%s -> %s", sent, reply)
	switch {
	case last.Outcome == Unread:
		return lang.New("%s, and nobody waits for the reply", answered)
	case last.Kind == Apply:
		return lang.New("%s, reply on the way", answered)
	}
	return answered
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
var options = []string{"NX", "XX", "EX", "PX", "EXAT", "PXAT", "KEEPTTL", "GET", "IFEQ", "IFNE", "IFDEQ", "IFDNE"}

// fenced adds the fencing token of an event, if it has one.
func fenced(p lang.Message, e Event) lang.Message {
	if e.Fence != 0 {
		return lang.New("%s, fencing token %d", p, e.Fence)
	}
	return p
}

func broken(e Event) lang.Message {
	if e.Op == Unheard {
		return lang.New("%s has answered no ping for %v: the connection ends", e.Node, e.By)
	}
	if e.Cmds == nil {
		return lang.New("the connection to %s ends", e.Node)
	}
	if e.Op == NoServer {
		return lang.New("%s refuses the connection: %s was not executed", e.Node, CommandText(e.Cmds))
	}
	return lang.New("the connection to %s ends before the reply to %s", e.Node, CommandText(e.Cmds))
}

func resource(e Event) lang.Message {
	switch e.Op {
	case Enter:
		return lang.New("enters the critical section")
	case Leave:
		return lang.New("leaves the critical section")
	case Abandon:
		if e.Outcome == Cancelled {
			return lang.New("stops its work: its context is cancelled")
		}
		return lang.New("stops its work: it was told that the lease is lost")
	case ReadOp:
		return fenced(lang.New("reads %s = %d", e.Text, e.Value), e)
	case WriteOp:
		return fenced(lang.New("writes %s = %d", e.Text, e.Value), e)
	case Refuse:
		return fenced(lang.New("the resource refuses %s = %d", e.Text, e.Value), e)
	}
	return lang.Quote(e.Op)
}
