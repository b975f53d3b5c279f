package trial

import (
	"fmt"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// Facts are what a report knows of a lock beside violations.
type Facts struct {
	Refused int       // acquisitions, or waits that a message ended
	Failed  int       // acquisitions, with another error
	AtOnce  bool      // see program.Traits
	Tries   [2]string // see the function
}

func (f Facts) and(more Facts) Facts {
	f.Refused, f.Failed, f.AtOnce = f.Refused+more.Refused, f.Failed+more.Failed, f.AtOnce || more.AtOnce
	if f.Tries[0] == "" {
		f.Tries = more.Tries
	}
	return f
}

// Hints says what looks like a mistake in a lock or in its adapter, though it violates
// no invariant.
func Hints(reports []*Report) (list []lang.Message) {
	var all Facts
	for _, r := range reports {
		all = all.and(r.Facts)
	}
	if all.Refused == 0 && all.Failed > 0 {
		list = append(list, lang.New("look at the adapter: Lock was never refused and failed %d times; the error for a lock that another client has wraps ErrNotAcquired, or stands in RefusedBy", all.Failed))
	}
	if all.AtOnce {
		list = append(list, lang.New("look at the delay between tries: Lock sends the same command again at the same moment"))
	}
	if all.Tries[0] != "" {
		list = append(list, lang.New("look at the token: each try has its own (%s, then %s), so after a reply was lost a client is kept out by its own lease, up to the TTL", all.Tries[0], all.Tries[1]))
	}
	return list
}

// tries returns the argument in which a command of a client's try to acquire the lock
// differs from that of the failed try before: as it was, and as it is. Nothing if none
// differs in one argument alone.
func tries(h history.History, client string) (pair [2]string) {
	if h.Config.Nest > 1 {
		return pair // the acquisition within another, not a try after another
	}
	var before, now map[string][]string // commands by name and number of arguments
	call := 0                           // of the try; 0 for none
	for _, e := range h.Events {
		switch {
		case e.Client != client:
		case e.Kind == history.Invoke && e.Op == history.OpAcquire:
			before, now, call = now, map[string][]string{}, e.Call
		case e.Acquires():
			now, call = nil, 0
		case e.Kind == history.Request && call > 0 && e.During == call:
			for _, cmd := range e.Cmds {
				kind := fmt.Sprint(cmd[0], len(cmd))
				now[kind] = cmd
				if at := onlyDifference(before[kind], cmd); at > 0 {
					pair = [2]string{before[kind][at], cmd[at]}
				}
			}
		}
	}
	return pair
}

// onlyDifference is the index at which two lists differ, if that is one; -1 otherwise. The
// first may be nil.
func onlyDifference(a, b []string) int {
	at := -1
	for i := range a { // the second is as long
		switch {
		case a[i] == b[i]:
		case at >= 0:
			return -1
		default:
			at = i
		}
	}
	return at
}
