package history

import (
	"fmt"
	"strings"
)

func expired(e Event) string { return lostKeys(e, "%s expires (was %s)") }

// lostKeys lists the keys that an event removes.
func lostKeys(e Event, format string) string {
	var parts []string
	for _, ch := range e.Changes {
		if ch.Before != nil && ch.After == nil {
			parts = append(parts, fmt.Sprintf(format, ch.Key, ch.Before.Value))
		}
	}
	return strings.Join(parts, "; ")
}

// gone says which keys a fault takes away.
func gone(e Event) string {
	if keys := lostKeys(e, "%s (was %s)"); keys != "" {
		return ": it has lost " + keys
	}
	return ""
}

func writes(n int) string {
	if n == 1 {
		return "write"
	}
	return fmt.Sprintf("%d writes", n)
}

func fault(e Event) string {
	switch Verb(e.Op) {
	case Crash:
		return "crashes " + e.Text
	case Hang:
		return "hangs " + e.Text
	case LoseRequest:
		return "its request is lost: " + CommandText(e.Cmds)
	case LoseReply:
		return "the reply to it is lost: " + CommandText(e.Cmds)
	case Late:
		return "a late request arrives: " + CommandText(e.Cmds)
	case Jump:
		return fmt.Sprintf("its clock jumps by %v", e.By) + gone(e)
	case Rate:
		return fmt.Sprintf("its clock runs at %d.%d%% of true speed", e.By/10, e.By%10)
	case Flush:
		return "every node forgets its scripts"
	}
	return nodeFault(e)
}

// nodeFault writes what happens to a node, or between a client and a node.
func nodeFault(e Event) string {
	switch Verb(e.Op) {
	case Cut:
		return "is cut off from " + e.Node
	case Heal:
		return "reaches " + e.Node + " again"
	case Restart:
		return "restarts with its data"
	case Wipe:
		return "restarts without its data" + gone(e)
	case Down:
		return "goes down"
	case Up:
		return "is up again, with its data"
	case Slow:
		return "answers too late from now on"
	case Fast:
		return "answers in time again"
	case Evict:
		return "evicts " + lostKeys(e, "%s (was %s)")
	case Promote:
		return fmt.Sprintf("fails; its replica takes over without its last %s", writes(int(e.By))) + gone(e)
	}
	return e.Op
}
