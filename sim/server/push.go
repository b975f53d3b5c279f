package server

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// This file is what a node sends unasked: messages of channels, and replies to
// commands that wait for something in a key. The node itself does both:
// miniredis answers from goroutines of its own, by the real clock.

// listens executes a command that subscribes, publishes or waits; ok is false
// for any other. A transaction may contain all of them.
func (n *engine) listens(p *peer, cmd []string) (ok bool) {
	switch name, more := cmd[0], len(cmd) > 1; {
	case name == "SUBSCRIBE" && more, name == "UNSUBSCRIBE":
		n.notices(cmd)
		p.Channels = p.subscribe(strings.ToLower(name), p.Channels, cmd[1:])
	case name == "PSUBSCRIBE" && more, name == "PUNSUBSCRIBE":
		n.notices(cmd)
		p.Patterns = p.subscribe(strings.ToLower(name), p.Patterns, cmd[1:])
	case p.subscribed() > 0 && name == "PING" && len(cmd) <= 2:
		p.WriteRaw(array("pong", strings.Join(cmd[1:], "")))
	default:
		return n.waits(p, cmd)
	}
	return true
}

// refuses refuses a command that a connection may not send while it listens; ok
// is false if it may, or if the command is wrong in itself.
func (n *engine) refuses(p *peer, cmd []string) (ok bool) {
	if p.subscribed() == 0 || inSubscription[cmd[0]] || n.refusal(cmd) {
		return false
	}
	text := fmt.Sprintf("Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", fullName(cmd))
	if cmd[0] == "EXEC" {
		p.WriteError("EXECABORT Transaction discarded because of: " + text)
	} else {
		p.WriteError("ERR " + text)
	}
	return true
}

// fullName returns the name of a command with that of its part.
func fullName(cmd []string) string {
	name := strings.ToLower(cmd[0])
	if (name == "script" || name == "pubsub") && len(cmd) > 1 {
		name += "|" + strings.ToLower(cmd[1])
	}
	return name
}

// inSubscription are the commands that a connection may send while it listens.
var inSubscription = map[string]bool{
	"SUBSCRIBE": true, "UNSUBSCRIBE": true, "PSUBSCRIBE": true, "PUNSUBSCRIBE": true, "SSUBSCRIBE": true, "SUNSUBSCRIBE": true, "PING": true, "QUIT": true, "RESET": true,
}

// subscribe adds names to a list of channels or patterns or removes them, all if
// there are none, each with a reply of its own.
func (p *peer) subscribe(word string, has, names []string) []string {
	on := !strings.Contains(word, "un")
	before, rest := len(has), p.subscribed()-len(has)
	if len(names) == 0 {
		names = slices.Clone(has)
	}
	if before == 0 && len(names) == 0 {
		p.WriteRaw(fmt.Sprintf("*3\r\n%s$-1\r\n:%d\r\n", bulkOf(word), rest))
	}
	for _, name := range names {
		switch at := slices.Index(has, name); {
		case on && at < 0:
			has = append(slices.Clone(has), name)
		case !on && at >= 0:
			has = slices.Delete(slices.Clone(has), at, at+1)
		}
		p.WriteRaw(fmt.Sprintf("*3\r\n%s%s:%d\r\n", bulkOf(word), bulkOf(name), rest+len(has)))
	}
	p.Listened = true
	return has
}

// subscribed returns to how many channels and patterns a connection listens.
func (p *peer) subscribed() int { return len(p.Channels) + len(p.Patterns) }

// correctPublish sends a message to all who subscribe, in the order of their
// connections' names, on which nothing depends.
func correctPublish(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 3 {
		return "", cmd
	}
	to := 0
	for _, conn := range slices.Sorted(maps.Keys(n.peers)) {
		p := n.peers[conn]
		if slices.Contains(p.Channels, cmd[1]) {
			to++
			n.send(p, array("message", cmd[1], cmd[2]), nil)
		}
		for _, pattern := range p.Patterns {
			if matches(pattern, cmd[1]) {
				to++
				n.send(p, array("pmessage", pattern, cmd[1], cmd[2]), nil)
			}
		}
	}
	return fmt.Sprintf(":%d\r\n", to), nil
}

// correctPubsub answers what miniredis would for its own channels.
func correctPubsub(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 2 {
		return "", cmd
	}
	of := map[string]int{} // subscribers by channel
	patterns := map[string]bool{}
	for _, p := range n.peers {
		for _, channel := range p.Channels {
			of[channel]++
		}
		for _, pattern := range p.Patterns {
			patterns[pattern] = true
		}
	}
	switch sub := strings.ToUpper(cmd[1]); {
	case sub == "NUMSUB":
		reply := fmt.Sprintf("*%d\r\n", 2*len(cmd[2:]))
		for _, channel := range cmd[2:] {
			reply += fmt.Sprintf("%s:%d\r\n", bulkOf(channel), of[channel])
		}
		return reply, nil
	case sub == "NUMPAT" && len(cmd) == 2:
		return fmt.Sprintf(":%d\r\n", len(patterns)), nil
	case sub == "CHANNELS" && len(cmd) < 4:
		return array(slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(channel string) bool {
			return len(cmd) == 3 && !matches(cmd[2], channel)
		})...), nil
	case sub == "NUMPAT", sub == "CHANNELS":
		return fmt.Sprintf("-ERR wrong number of arguments for 'pubsub|%s' command\r\n", strings.ToLower(sub)), nil
	}
	return n.lacks(cmd, cmd[1]), nil
}

// send sends a message over a connection. To the connection whose transaction is
// executed it comes between the replies.
func (n *engine) send(p *peer, raw string, changes []history.Change) {
	if p == n.current {
		p.WriteRaw(raw)
		return
	}
	msg := sim.Message{Conn: p.Conn, Raw: raw, Text: replyText([]byte(raw)), Changes: changes}
	p.Unread = append(slices.Clone(p.Unread), Unread{msg.Raw, msg.Text})
	n.sent = append(n.sent, msg)
}

// A waiting is how a command waits for something in a key.
type waiting struct {
	kind string // the type of the key
	// once is the command that does not wait, for one of the keys.
	once  func(cmd []string, key string) []string
	named bool // the reply has the key in front of that of once
}

func pops(command string) func([]string, string) []string {
	return func(_ []string, key string) []string { return []string{command, key} }
}

// waits are the commands that wait, with their timeout as the last word.
var waits = map[string]waiting{
	"BLPOP":    {kind: "list", once: pops("LPOP"), named: true},
	"BRPOP":    {kind: "list", once: pops("RPOP"), named: true},
	"BZPOPMIN": {kind: "zset", once: pops("ZPOPMIN"), named: true},
	"BZPOPMAX": {kind: "zset", once: pops("ZPOPMAX"), named: true},
	"BRPOPLPUSH": {kind: "list", once: func(cmd []string, key string) []string {
		return []string{"RPOPLPUSH", key, cmd[2]}
	}},
	"BLMOVE": {kind: "list", once: func(cmd []string, key string) []string {
		return []string{"LMOVE", key, cmd[2], cmd[3], cmd[4]}
	}},
}

// keys are those for which a held command waits.
func (b *Blocked) keys() []string {
	switch b.Cmd[0] {
	case "BRPOPLPUSH", "BLMOVE":
		return b.Cmd[1:2]
	}
	return b.Cmd[1 : len(b.Cmd)-1]
}

// waits executes a command that waits; ok is false for any other, and for one
// with too few words, whose error is miniredis's.
func (n *engine) waits(p *peer, cmd []string) (ok bool) {
	switch name := cmd[0]; name {
	case "BLPOP", "BRPOP", "BZPOPMIN", "BZPOPMAX":
		ok = len(cmd) > 2
	case "BRPOPLPUSH":
		ok = len(cmd) == 4
	case "BLMOVE":
		if ok = len(cmd) == 6; ok && !(isEnd(cmd[3]) && isEnd(cmd[4])) {
			p.WriteRaw(errSyntax)
			return true
		}
	}
	if ok {
		n.pop(p, cmd)
	}
	return ok
}

// isEnd reports whether a word is an end of a list.
func isEnd(word string) bool {
	return strings.EqualFold(word, "LEFT") || strings.EqualFold(word, "RIGHT")
}

// pop answers a command that pops, or holds it until there is an element.
func (n *engine) pop(p *peer, cmd []string) {
	wait, refusal := waitOf(cmd[len(cmd)-1])
	if refusal != "" {
		p.WriteRaw(refusal)
		return
	}
	held := Blocked{Conn: p.Conn, Cmd: cmd}
	for _, key := range held.keys() {
		if kind := n.typeOf(p.Peer, key); kind != "none" && kind != waits[cmd[0]].kind {
			p.WriteRaw(errWrongType)
			return
		}
		if reply := n.take(p, &held, key); reply != "" {
			p.WriteRaw(reply)
			return
		}
	}
	n.hold(p, held, wait)
}

// hold holds a command for a time; 0 is without end. In a transaction, nothing
// waits.
func (n *engine) hold(p *peer, held Blocked, wait history.Millis) {
	switch moves := held.Cmd[0] == "BLMOVE" || held.Cmd[0] == "BRPOPLPUSH"; {
	case p.executing && moves:
		p.WriteNull()
		return
	case p.executing:
		p.WriteLen(-1)
		return
	}
	if wait > 0 {
		held.Deadline, held.Rest = worldDeadline(n.Clock, n.now+wait)
	}
	n.Blocked = append(slices.Clone(n.Blocked), held)
}

// take gives a command what there is in a key; the reply is "" for nothing.
func (n *engine) take(p *peer, held *Blocked, key string) string {
	how := waits[held.Cmd[0]]
	reply := n.ask(p.Peer, how.once(held.Cmd, key)...)
	switch head, rest, _ := strings.Cut(reply, "\r\n"); {
	case head == "$-1", head == "*0", head == "*-1":
		return ""
	case head[0] == '-' || !how.named:
		return reply
	case head[0] == '*': // a member and its score
		return "*3\r\n" + bulkOf(key) + rest
	default:
		return "*2\r\n" + bulkOf(key) + reply
	}
}

// awaited notes the keys for which a held command waits and that have something
// for it now, in the order in which they got it. It is called after each command
// of a unit, by the peer that executed it.
func (n *engine) awaited(c *server.Peer) {
	for i := range n.Blocked {
		for _, key := range n.Blocked[i].keys() {
			if !slices.Contains(n.ready, key) && n.typeOf(c, key) == waits[n.Blocked[i].Cmd[0]].kind {
				n.ready = append(n.ready, key)
			}
		}
	}
}

// waitOf reads for how long a command waits, in milliseconds of the node's clock;
// 0 is without end, as is what time does not reach.
func waitOf(text string) (wait history.Millis, refusal string) {
	seconds, ok := float(text)
	millis := math.Ceil(seconds * 1000)
	switch {
	case !ok:
		return 0, "-ERR timeout is not a float or out of range\r\n"
	case millis > float64(math.MaxInt64-sim.Epoch().UnixMilli()-int64(history.MaxTime)):
		return 0, "-ERR timeout is out of range\r\n"
	case millis < 0:
		return 0, "-ERR timeout is negative\r\n"
	case millis > float64(history.MaxTime):
		return 0, ""
	}
	return history.Millis(millis), ""
}

// float parses a number like Redis.
func float(text string) (float64, bool) {
	if digits := strings.ToLower(strings.TrimLeft(text, "+-")); strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // Redis's numbers are longer
	}
	return f, err == nil && !math.IsNaN(f) && !strings.Contains(text, "_")
}

// serve answers the held commands for which a key has something now: key by key,
// and the longest waiting first. What one of them moves may serve another.
func (n *engine) serve() (sent []sim.Message) {
	n.current = nil
	for len(n.ready) > 0 {
		ready := n.ready
		n.ready = nil
		for _, key := range ready {
			n.serveFrom(key)
		}
	}
	sent, n.sent = n.sent, nil
	return sent
}

func (n *engine) serveFrom(key string) {
	for i := 0; i < len(n.Blocked); {
		held := n.Blocked[i]
		if !slices.Contains(held.keys(), key) || n.mini.DB(0).Type(key) != waits[held.Cmd[0]].kind {
			i++
			continue
		}
		before := n.replica()
		p := n.peerOf(held.Conn)
		raw := n.take(p, &held, key)
		if raw == "" { // an entry that it has read
			i++
			continue
		}
		n.Blocked = slices.Delete(slices.Clone(n.Blocked), i, i+1)
		n.awaited(p.Peer)
		n.send(p, raw, n.wrote(before))
	}
}

func bulkOf(text string) string { return string(resp.Value{Kind: '$', Text: text}.Append(nil)) }

// array returns an array of strings as a reply.
func array(words ...string) string { return string(resp.AppendCommand(nil, words)) }
