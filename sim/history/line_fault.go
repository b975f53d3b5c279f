package history

import "lockstep/internal/lang"

// lostKeys lists the keys that an event removes.
func lostKeys(e Event, format string) lang.Message {
	var parts []any
	for _, ch := range e.Changes {
		if ch.Before != nil && ch.After == nil {
			parts = append(parts, lang.New(format, ch.Key, ch.Before.Value))
		}
	}
	if len(parts) == 0 {
		return lang.Message{}
	}
	return lang.New("%s", lang.Join("; ", parts...))
}

// gone adds which keys a fault takes away.
func gone(p lang.Message, e Event) lang.Message {
	if keys := lostKeys(e, "%s (was %s)"); !keys.None() {
		return lang.New("%s: it has lost %s", p, keys)
	}
	return p
}

func fault(e Event) lang.Message {
	doing := e.while
	if doing.None() { // a line of JSON has the English text alone
		doing = lang.Quote(e.Text)
	}
	switch Verb(e.Op) {
	case Crash:
		return lang.New("crashes %s", doing)
	case Hang:
		return lang.New("hangs %s", doing)
	case Pause:
		return lang.New("its process is paused %s", doing)
	case Cancel:
		return lang.New("its context is cancelled")
	case LoseRequest:
		return lang.New("its request is lost: %s", CommandText(e.Cmds))
	case LoseReply:
		return lang.New("the reply to it is lost: %s", CommandText(e.Cmds))
	case LosePush:
		return lang.New("what %s sent it is lost with its connection: %s", e.Node, e.Reply)
	case Late:
		return lang.New("a late request arrives: %s", CommandText(e.Cmds))
	case Jump:
		return gone(lang.New("its clock jumps by %s", e.By), e)
	case Rate:
		return lang.New("its clock runs at %d.%d%% of true speed", e.By/10, e.By%10)
	case Flush:
		return lang.New("every node forgets its scripts")
	}
	return nodeFault(e)
}

// nodeFault writes what happens to a node, or between a client and a node.
func nodeFault(e Event) lang.Message {
	switch Verb(e.Op) {
	case Cut:
		return lang.New("is cut off from %s", e.Node)
	case Heal:
		return lang.New("reaches %s again", e.Node)
	case Restart:
		return lang.New("restarts with its data")
	case Wipe:
		return gone(lang.New("restarts without its data"), e)
	case Down:
		return lang.New("goes down")
	case Up:
		return lang.New("is up again")
	case Slow:
		return lang.New("answers too late from now on")
	case Fast:
		return lang.New("answers in time again")
	case Evict:
		return lang.New("evicts %s", lostKeys(e, "%s (was %s)"))
	case Promote:
		return gone(promoted(int(e.By)), e)
	}
	return lang.Quote(e.Op)
}

func promoted(missed int) lang.Message {
	if missed == 1 {
		return lang.New("fails; its replica takes over without its last write")
	}
	return lang.New("fails; its replica takes over without its last %d writes", missed)
}
