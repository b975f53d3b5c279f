package history

import "lockstep/message"

// lostKeys lists the keys that an event removes.
func lostKeys(e Event, format string) message.Message {
	var parts []any
	for _, ch := range e.Changes {
		if ch.Before != nil && ch.After == nil {
			parts = append(parts, message.New(format, ch.Key, ch.Before.Value))
		}
	}
	if len(parts) == 0 {
		return message.Message{}
	}
	return message.New("%s", message.Join("; ", parts...))
}

// gone adds which keys a fault takes away.
func gone(p message.Message, e Event) message.Message {
	if keys := lostKeys(e, "%s (was %s)"); !keys.None() {
		return message.New("%s: it has lost %s", p, keys)
	}
	return p
}

func fault(e Event) message.Message {
	switch Verb(e.Op) {
	case Crash:
		return message.New("crashes %s", dying(e.Text))
	case Hang:
		return message.New("hangs %s", dying(e.Text))
	case LoseRequest:
		return message.New("its request is lost: %s", CommandText(e.Cmds))
	case LoseReply:
		return message.New("the reply to it is lost: %s", CommandText(e.Cmds))
	case Late:
		return message.New("a late request arrives: %s", CommandText(e.Cmds))
	case Jump:
		return gone(message.New("its clock jumps by %s", e.By), e)
	case Rate:
		return message.New("its clock runs at %d.%d%% of true speed", e.By/10, e.By%10)
	case Flush:
		return message.New("every node forgets its scripts")
	}
	return nodeFault(e)
}

// nodeFault writes what happens to a node, or between a client and a node.
func nodeFault(e Event) message.Message {
	switch Verb(e.Op) {
	case Cut:
		return message.New("is cut off from %s", e.Node)
	case Heal:
		return message.New("reaches %s again", e.Node)
	case Restart:
		return message.New("restarts with its data")
	case Wipe:
		return gone(message.New("restarts without its data"), e)
	case Down:
		return message.New("goes down")
	case Up:
		return message.New("is up again, with its data")
	case Slow:
		return message.New("answers too late from now on")
	case Fast:
		return message.New("answers in time again")
	case Evict:
		return message.New("evicts %s", lostKeys(e, "%s (was %s)"))
	case Promote:
		return gone(promoted(int(e.By)), e)
	}
	return message.Quote(e.Op)
}

func promoted(missed int) message.Message {
	if missed == 1 {
		return message.New("fails; its replica takes over without its last write")
	}
	return message.New("fails; its replica takes over without its last %d writes", missed)
}
