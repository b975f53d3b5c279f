package scenarios

import (
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A moment is a point in a client's program at which a run stops.
type moment struct {
	kind momentKind
	what string // before, after: a command, or an access to the resource
}

type momentKind string

const (
	acquired   momentKind = "acquired"    // an acquisition succeeded
	refused    momentKind = "refused"     // an acquisition returned
	inCritical momentKind = "in-critical" // the guarded work has begun
	released   momentKind = "released"    // a release returned
	done       momentKind = "done"        // the client's program has ended
	before     momentKind = "before"      // the client is about to do it
	after      momentKind = "after"       // the client has done it
)

func (m moment) String() string {
	if m.what != "" {
		return string(m.kind) + ":" + m.what
	}
	return string(m.kind)
}

// receive is what a strand is about to do that waits for a message.
const receive = "receive"

// resourceMoments are what before and after may name beside Redis commands.
var resourceMoments = []string{history.Enter, history.ReadOp, history.WriteOp, history.Leave, "now", "sleep", receive}

func parseMoment(s string) (moment, error) {
	kind, what, named := strings.Cut(s, ":")
	switch m := (moment{momentKind(kind), what}); m.kind {
	case acquired, refused, inCritical, released, done:
		if !named {
			return m, nil
		}
	case before, after:
		if slices.Contains(resourceMoments, what) || isCommand(what) {
			return m, nil
		}
	}
	return moment{}, lang.Errorf("%q is not a moment; acquired, refused, in-critical, released, done, before:CMD and after:CMD "+
		"are, where CMD is a Redis command in capitals, a request to ZooKeeper such as create, or one of %s", s, lang.Names(resourceMoments))
}

// requests are what a client asks ZooKeeper for.
var requests = []string{
	"connect", "create", "create2", "delete", "exists", "getData", "setData", "getChildren", "getChildren2", "sync", "multi", "check",
	"getACL", "setACL", "auth", "setWatches", "closeSession",
}

// isCommand reports whether a word is a Redis command or a request to ZooKeeper.
func isCommand(word string) bool {
	return slices.Contains(requests, word) || word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isAt reports whether an event is the moment.
func (m moment) isAt(e history.Event) bool {
	switch m.kind {
	case acquired:
		return e.Op == history.OpAcquire && e.Outcome == history.Acquired
	case refused:
		return e.Op == history.OpAcquire && e.Kind != history.Invoke
	case inCritical:
		return e.Op == history.Enter
	case released:
		return e.Op == history.OpRelease && e.Kind != history.Invoke
	case after:
		return e.Kind == history.Resource && e.Op == m.what || e.Kind == history.Receive && m.what == receive ||
			e.Kind == history.Reply && slices.ContainsFunc(e.Cmds, func(cmd []string) bool { return m.names(cmd[0]) })
	}
	return false
}

// names reports whether the moment names a Redis command. EVAL includes EVALSHA,
// which go-redis tries first.
func (m moment) names(cmd string) bool {
	return cmd == m.what || m.what == "EVAL" && cmd == "EVALSHA"
}

// An awaited moment ends a run. It sees each event of the client once.
type awaited struct {
	moment
	held bool // the client held the lock when the run began
	came bool // the moment has come
	past bool // the operation that the moment belongs to has ended
}

func (a *awaited) see(e history.Event) {
	a.came = a.came || a.isAt(e)
	a.past = a.past || a.endsWith(e)
}

// isNow reports whether the client is at the moment, by the events of this run or by
// what its strands are about to do.
func (a *awaited) isNow(strands []world.StrandView) bool {
	if a.kind != before {
		return a.came
	}
	return slices.ContainsFunc(strands, func(t world.StrandView) bool {
		return !t.Ended && (t.Pending == a.what && len(t.Cmds) == 0 || slices.ContainsFunc(t.Cmds, a.names))
	})
}

// isPast reports whether the moment can no longer come in its operation. A run then
// stops there, so that one schedule suits locks with other commands. A client that
// was refused and sleeps will try again: its operation goes on.
func (a *awaited) isPast(main world.StrandView) bool {
	if !a.held && (main.Pending == string(history.Sleep) || main.Stays) {
		a.past = false
	}
	return a.past
}

// endsWith reports whether an event ends the operation of before and after: the
// guarded work, the release of a holder, else the acquisition.
func (a *awaited) endsWith(e history.Event) bool {
	switch {
	case a.kind != before && a.kind != after:
		return false
	case a.what == history.ReadOp || a.what == history.WriteOp || a.what == history.Enter || a.what == history.Leave:
		return e.Kind == history.Resource && (e.Op == history.Leave || e.Op == history.Abandon)
	case a.held:
		return moment{kind: released}.isAt(e)
	}
	return moment{kind: refused}.isAt(e)
}
