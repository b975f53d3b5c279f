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
// commands that wait for an element of a list. The node itself does both:
// miniredis answers from goroutines of its own, by the real clock.

// listens executes a command that subscribes, publishes or waits; ok is false
// for any other. A transaction may contain all of them.
func (n *Embedded) listens(p *peer, cmd []string) (ok bool) {
	switch name, more := cmd[0], len(cmd) > 1; {
	case name == "SUBSCRIBE" && more, name == "UNSUBSCRIBE":
		p.channels = p.subscribe(strings.ToLower(name), p.channels, cmd[1:])
	case name == "PSUBSCRIBE" && more, name == "PUNSUBSCRIBE":
		p.patterns = p.subscribe(strings.ToLower(name), p.patterns, cmd[1:])
	case p.subscribed() > 0 && name == "PING" && len(cmd) <= 2:
		p.WriteRaw(array("pong", strings.Join(cmd[1:], "")))
	case (name == "BLPOP" || name == "BRPOP") && len(cmd) > 2:
		n.pop(p, cmd)
	default:
		return false
	}
	return true
}

// refuses refuses a command that a connection may not send while it listens; ok
// is false if it may, or if the command is wrong in itself.
func (n *Embedded) refuses(p *peer, cmd []string) (ok bool) {
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
	p.listened = true
	return has
}

// subscribed returns to how many channels and patterns a connection listens.
func (p *peer) subscribed() int { return len(p.channels) + len(p.patterns) }

// correctPublish sends a message to all who subscribe, in the order of their
// connections' names, on which nothing depends.
func (n *Embedded) correctPublish(_ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 3 {
		return "", cmd
	}
	to := 0
	for _, conn := range slices.Sorted(maps.Keys(n.peers)) {
		p := n.peers[conn]
		if slices.Contains(p.channels, cmd[1]) {
			to++
			n.send(p, array("message", cmd[1], cmd[2]), nil)
		}
		for _, pattern := range p.patterns {
			if matches(pattern, cmd[1]) {
				to++
				n.send(p, array("pmessage", pattern, cmd[1], cmd[2]), nil)
			}
		}
	}
	return fmt.Sprintf(":%d\r\n", to), nil
}

// correctPubsub answers what miniredis would for its own channels.
func (n *Embedded) correctPubsub(_ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 2 {
		return "", cmd
	}
	of := map[string]int{} // subscribers by channel
	patterns := map[string]bool{}
	for _, p := range n.peers {
		for _, channel := range p.channels {
			of[channel]++
		}
		for _, pattern := range p.patterns {
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
	return fmt.Sprintf("-ERR unknown subcommand '%s'. Try PUBSUB HELP.\r\n", cmd[1]), nil
}

// send sends a message over a connection. To the connection whose transaction is
// executed it comes between the replies.
func (n *Embedded) send(p *peer, raw string, changes []history.Change) {
	if p == n.current {
		p.WriteRaw(raw)
		return
	}
	msg := sim.Message{Conn: p.conn, Raw: raw, Text: replyText([]byte(raw)), Changes: changes}
	p.unread = append(slices.Clone(p.unread), Unread{msg.Raw, msg.Text})
	n.sent = append(n.sent, msg)
}

// pop answers BLPOP and BRPOP, or holds the command until there is an element.
// In a transaction, nothing waits; a script may not contain them.
func (n *Embedded) pop(p *peer, cmd []string) {
	wait, refusal := waitOf(cmd[len(cmd)-1])
	if refusal != "" {
		p.WriteRaw(refusal)
		return
	}
	for _, key := range cmd[1 : len(cmd)-1] {
		if reply := n.popFrom(p, cmd[0], key); reply != "" {
			p.WriteRaw(reply)
			return
		}
	}
	if p.executing {
		p.WriteLen(-1)
		return
	}
	held := Blocked{Conn: p.conn, Cmd: cmd}
	if wait > 0 {
		held.Deadline, held.Rest = worldDeadline(n.health.Clock, n.now+wait)
	}
	n.blocked = append(slices.Clone(n.blocked), held)
}

// popFrom pops an element of a list; the reply is "" if there is none.
func (n *Embedded) popFrom(p *peer, command, key string) string {
	switch reply := n.ask(p.Peer, command[1:], key); {
	case reply == "$-1\r\n":
		return ""
	case reply[0] == '-':
		return reply
	default:
		return "*2\r\n" + bulkOf(key) + reply
	}
}

// awaited notes the lists for which a held command waits and that have an
// element now, in the order in which they got it. It is called after each
// command of a unit, by the peer that executed it.
func (n *Embedded) awaited(c *server.Peer) {
	for i := range n.blocked {
		for _, key := range n.blocked[i].keys() {
			if !slices.Contains(n.ready, key) && n.ask(c, "TYPE", key) == "+list\r\n" {
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

// serve answers the held commands for which a list has an element now: list by
// list, and the longest waiting first.
func (n *Embedded) serve() (sent []sim.Message) {
	n.current = nil
	for _, key := range n.ready {
		for i := 0; i < len(n.blocked) && n.mini.DB(0).Type(key) == "list"; {
			held := n.blocked[i]
			if !slices.Contains(held.keys(), key) {
				i++
				continue
			}
			before := n.replica()
			p := n.peerOf(held.Conn)
			raw := n.popFrom(p, held.Cmd[0], key)
			n.blocked = slices.Delete(slices.Clone(n.blocked), i, i+1)
			n.send(p, raw, n.wrote(before))
		}
	}
	sent, n.sent, n.ready = n.sent, nil, nil
	return sent
}

// giveUp answers the held commands that have waited for as long as they may.
func (n *Embedded) giveUp(now history.Millis) []sim.Message {
	n.current = nil
	n.blocked = slices.DeleteFunc(slices.Clone(n.blocked), func(held Blocked) bool {
		if !held.over(now) {
			return false
		}
		n.send(n.peerOf(held.Conn), nothing(held.Conn).Raw, nil)
		return true
	})
	sent := n.sent
	n.sent = nil
	return sent
}

// Unread is Server's.
func (n *Embedded) Unread(_ sim.Ref, conn string) (sim.Message, bool) {
	p := n.peers[conn]
	if p == nil || len(p.unread) == 0 {
		return sim.Message{}, false
	}
	return sim.Message{Conn: conn, Raw: p.unread[0].Raw, Text: p.unread[0].Text}, true
}

// Take is Server's.
func (n *Embedded) Take(_ sim.Ref, conn string) sim.Ref {
	p := n.peers[conn]
	p.unread = slices.Clone(p.unread[1:])
	return 0
}

func bulkOf(text string) string { return string(resp.Value{Kind: '$', Text: text}.Append(nil)) }

// array returns an array of strings as a reply.
func array(words ...string) string { return string(resp.AppendCommand(nil, words)) }
