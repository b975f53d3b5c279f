package server

import (
	"fmt"
	"maps"
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
// for any other.
func (n *Embedded) listens(p *peer, cmd []string) (ok bool) {
	switch name := cmd[0]; {
	case (name == "SUBSCRIBE" || name == "UNSUBSCRIBE") && (len(cmd) > 1 || name == "UNSUBSCRIBE"):
		n.subscribe(p, name == "SUBSCRIBE", cmd[1:])
	case len(p.channels) > 0 && name == "PING" && len(cmd) <= 2:
		p.WriteRaw(array("pong", strings.Join(cmd[1:], "")))
	case len(p.channels) > 0 && !inSubscription[name]:
		p.WriteError(fmt.Sprintf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", strings.ToLower(name)))
	case (name == "BLPOP" || name == "BRPOP") && len(cmd) > 2:
		n.pop(p, cmd)
	default:
		return false
	}
	return true
}

// inSubscription are the commands that a connection may send while it listens.
var inSubscription = map[string]bool{
	"SUBSCRIBE": true, "UNSUBSCRIBE": true, "PSUBSCRIBE": true, "PUNSUBSCRIBE": true, "SSUBSCRIBE": true, "SUNSUBSCRIBE": true, "PING": true, "QUIT": true, "RESET": true,
}

// subscribe adds or removes channels, each with a reply of its own.
func (n *Embedded) subscribe(p *peer, on bool, channels []string) {
	word := "unsubscribe"
	if on {
		word = "subscribe"
	} else if len(channels) == 0 {
		channels = slices.Clone(p.channels)
	}
	if len(channels) == 0 {
		p.WriteRaw("*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n")
	}
	for _, channel := range channels {
		at := slices.Index(p.channels, channel)
		switch {
		case on && at < 0:
			p.channels = append(slices.Clone(p.channels), channel)
		case !on && at >= 0:
			p.channels = slices.Delete(slices.Clone(p.channels), at, at+1)
		}
		p.WriteRaw(fmt.Sprintf("*3\r\n%s%s:%d\r\n", bulkOf(word), bulkOf(channel), len(p.channels)))
	}
}

// correctPublish sends a message to all who subscribe, in the order of their
// connections' names, on which nothing depends.
func (n *Embedded) correctPublish(_ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 3 {
		return "", cmd
	}
	to := 0
	for _, conn := range slices.Sorted(maps.Keys(n.peers)) {
		if p := n.peers[conn]; slices.Contains(p.channels, cmd[1]) {
			to++
			n.send(p, array("message", cmd[1], cmd[2]), nil)
		}
	}
	return fmt.Sprintf(":%d\r\n", to), nil
}

// send sends a message over a connection.
func (n *Embedded) send(p *peer, raw string, changes []history.Change) {
	msg := sim.Message{Conn: p.conn, Raw: raw, Text: replyText([]byte(raw)), Changes: changes}
	p.unread = append(slices.Clone(p.unread), Unread{msg.Raw, msg.Text})
	n.sent = append(n.sent, msg)
}

// pop answers BLPOP and BRPOP, or holds the command until there is an element.
// In a transaction and in a script, nothing waits.
func (n *Embedded) pop(p *peer, cmd []string) {
	wait, refusal := waitOf(cmd[len(cmd)-1])
	if refusal != "" {
		p.WriteRaw(refusal)
		return
	}
	reply := n.popNow(p, cmd)
	switch {
	case reply != "":
		p.WriteRaw(reply)
	case p.executing:
		p.WriteLen(-1)
	default:
		held := Blocked{Conn: p.conn, Cmd: cmd}
		if wait > 0 {
			held.Deadline = n.health.Clock.Last(n.now + wait)
		}
		n.blocked = append(n.blocked, held)
	}
}

// popNow pops an element of the first list that has one; "" if there is none.
func (n *Embedded) popNow(p *peer, cmd []string) string {
	for _, key := range cmd[1 : len(cmd)-1] {
		switch reply := n.ask(p.Peer, cmd[0][1:], key); {
		case reply == "$-1\r\n":
		case reply[0] == '-':
			return reply
		default:
			return "*2\r\n" + bulkOf(key) + reply
		}
	}
	return ""
}

// waitOf reads for how long a command waits, in milliseconds of the node's clock; 0 is without end.
func waitOf(text string) (wait history.Millis, refusal string) {
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, "-ERR timeout is not a float or out of range\r\n"
	case seconds < 0:
		return 0, "-ERR timeout is negative\r\n"
	case seconds > float64(history.MaxTime/history.Second):
		return 0, "-ERR timeout is out of range\r\n"
	}
	if wait = history.Millis(seconds * float64(history.Second)); float64(wait) < seconds*float64(history.Second) {
		wait++
	}
	return wait, ""
}

// serve answers the held commands for which there is an element now, the
// longest waiting first.
func (n *Embedded) serve() (sent []sim.Message) {
	for i := 0; i < len(n.blocked); {
		held := n.blocked[i]
		p := n.peers[held.Conn]
		if p == nil {
			p = newPeer(held.Conn)
			n.peers[held.Conn] = p
		}
		raw := n.popNow(p, held.Cmd)
		if raw == "" || raw[0] == '-' { // a key of another type does not end the waiting
			i++
			continue
		}
		n.writes++
		n.blocked = slices.Delete(slices.Clone(n.blocked), i, i+1)
		n.send(p, raw, n.refresh())
	}
	sent, n.sent = n.sent, nil
	return sent
}

// giveUp answers the held commands that have waited for as long as they may.
func (n *Embedded) giveUp(now history.Millis) []sim.Message {
	for i := 0; i < len(n.blocked); {
		held := n.blocked[i]
		if held.Deadline == 0 || held.Deadline >= now {
			i++
			continue
		}
		n.blocked = slices.Delete(slices.Clone(n.blocked), i, i+1)
		p := n.peers[held.Conn]
		if p == nil {
			p = newPeer(held.Conn)
			n.peers[held.Conn] = p
		}
		n.send(p, nothing(held.Conn).Raw, nil)
	}
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
	n.peers[conn].unread = slices.Clone(n.peers[conn].unread[1:])
	return 0
}

func bulkOf(text string) string { return string(resp.Value{Kind: '$', Text: text}.Append(nil)) }

// array returns an array of strings as a reply.
func array(words ...string) string { return string(resp.AppendCommand(nil, words)) }
