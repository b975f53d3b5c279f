package server

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/resp"
)

// This file is streams. miniredis takes the last ID of a stream from its last
// entry, and Redis keeps it when that entry is gone; so the node does.

// An entryID is the ID of an entry of a stream.
type entryID struct{ ms, seq uint64 }

func (id entryID) String() string { return fmt.Sprintf("%d-%d", id.ms, id.seq) }

func (id entryID) compare(to entryID) int {
	return cmp.Or(cmp.Compare(id.ms, to.ms), cmp.Compare(id.seq, to.seq))
}

// next returns the next ID; ok is false after the last one.
func (id entryID) next() (_ entryID, ok bool) {
	if id.seq < math.MaxUint64 {
		return entryID{id.ms, id.seq + 1}, true
	}
	return entryID{id.ms + 1, 0}, id.ms < math.MaxUint64
}

// parseEntryID reads an ID, which may lack its second part: seq is that then.
func parseEntryID(text string, seq uint64) (id entryID, ok bool) {
	ms, rest, both := strings.Cut(text, "-")
	id.seq = seq
	id.ms, ok = number(ms)
	if both && ok {
		id.seq, ok = number(rest)
	}
	return id, ok
}

// number parses a part of an ID.
func number(text string) (uint64, bool) {
	i, err := strconv.ParseUint(text, 10, 64)
	return i, err == nil
}

// lostLast returns the last ID of a stream if no entry has it any more; "" for
// any other key.
func (n *Embedded) lostLast(key string) string {
	last := n.last[key]
	if entries, _ := n.mini.DB(0).Stream(key); len(entries) > 0 && entries[len(entries)-1].ID == last {
		return ""
	}
	return last
}

// lastID returns the last ID of a stream.
func (n *Embedded) lastID(c *server.Peer, key string) (id entryID) {
	text := n.last[key]
	if text == "" && n.typeOf(c, key) == "stream" {
		entries, _, _ := resp.Parse([]byte(n.ask(c, "XREVRANGE", key, "+", "-", "COUNT", "1")))
		if len(entries.Items) > 0 {
			text = entries.Items[0].Items[0].Text
		}
	}
	id, _ = parseEntryID(text, 0)
	return id
}

// forgetStreams forgets the last IDs of streams that are gone. It is called
// after each command.
func (n *Embedded) forgetStreams(c *server.Peer) {
	for key := range n.last {
		if n.typeOf(c, key) != "stream" {
			delete(n.last, key)
		}
	}
}

// putStream loads a stream.
func (n *Embedded) putStream(k StoredKey) error {
	for parts := k.Parts; len(parts) > 0; {
		words, _ := strconv.Atoi(parts[1]) // written by parts
		if _, err := n.mini.XAdd(k.Key, parts[0], parts[2:2+words]); err != nil {
			return err
		}
		parts = parts[2+words:]
	}
	if k.Raw != "" {
		if len(k.Parts) == 0 { // a stream without entries
			if _, err := n.mini.XAdd(k.Key, k.Raw, []string{"", ""}); err != nil {
				return err
			}
			n.mini.Server().Dispatch(newPeer("").Peer, []string{"XDEL", k.Key, k.Raw})
		}
		n.last[k.Key] = k.Raw
	}
	n.putTTL(k)
	return nil
}

const (
	errWrongType   = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
	errStreamID    = "-ERR Invalid stream ID specified as stream command argument\r\n"
	errSmallID     = "-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n"
	errZeroID      = "-ERR The ID specified in XADD must be greater than 0-0\r\n"
	errMaxlen      = "-ERR The MAXLEN argument must be >= 0.\r\n"
	errNegative    = "-ERR timeout is negative\r\n"
	errNoTimeout   = "-ERR timeout is not an integer or out of range\r\n"
	errExhausted   = "-ERR The stream has exhausted the last possible ID, unable to add more items\r\n"
	errUnbalanced  = "-ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.\r\n"
	errBlockScript = "-ERR XREAD command is not allowed with BLOCK option from scripts\r\n"
)

// A trimming is MAXLEN or MINID of XADD and XTRIM.
type trimming struct {
	by, limit string
	roughly   bool // Redis drops only blocks of a hundred entries
}

// parseTrimming reads a trimming at the beginning of words; ok is false if there
// is none.
func parseTrimming(words []string) (t trimming, rest []string, refusal string, ok bool) {
	if len(words) < 2 || !slices.Contains([]string{"MAXLEN", "MINID"}, strings.ToUpper(words[0])) {
		return t, words, "", false
	}
	t.by, words = strings.ToUpper(words[0]), words[1:]
	if len(words) > 1 && (words[0] == "=" || words[0] == "~") {
		t.roughly, words = words[0] == "~", words[1:]
	}
	t.limit = words[0]
	if t.by == "MAXLEN" {
		if n, ok := integer(t.limit); !ok {
			return t, nil, errNoInteger, true
		} else if n < 0 {
			return t, nil, errMaxlen, true
		}
	} else if _, ok := parseEntryID(t.limit, 0); !ok {
		return t, nil, errStreamID, true
	}
	return t, words[1:], "", true
}

// correctXadd chooses the ID by the node's clock and by the stream's last ID.
func (n *Embedded) correctXadd(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 5 {
		return "", cmd
	}
	words, create := cmd[2:], true
	var trim trimming
	for len(words) > 0 {
		if strings.EqualFold(words[0], "NOMKSTREAM") {
			words, create = words[1:], false
			continue
		}
		t, rest, refusal, ok := parseTrimming(words)
		if refusal != "" {
			return refusal, nil
		}
		if !ok {
			break
		}
		trim, words = t, rest
	}
	if len(words) > 0 && strings.EqualFold(words[0], "LIMIT") {
		n.refuse(lang.New("%s with %s is not simulated", cmd[0], "LIMIT"))
		return errSyntax, nil
	}
	fixed := len(words) == 0 || words[0] != "*" && !strings.HasSuffix(words[0], "-*")
	if fixed && len(words) > 0 {
		if id, ok := parseEntryID(words[0], 0); !ok {
			return errStreamID, nil
		} else if id == (entryID{}) && len(words) >= 3 && len(words)%2 == 1 {
			return errZeroID, nil
		}
	}
	if len(words) < 3 || len(words)%2 == 0 {
		return "-ERR wrong number of arguments for 'xadd' command\r\n", nil
	}
	switch kind := n.typeOf(c, cmd[1]); {
	case kind == "none" && !create:
		return "$-1\r\n", nil
	case kind != "none" && kind != "stream":
		return errWrongType, nil
	}
	id, refusal := n.newID(c, cmd[1], words[0])
	if refusal != "" {
		return refusal, nil
	}
	reply := n.ask(c, append([]string{"XADD", cmd[1], id.String()}, words[1:]...)...)
	if reply[0] == '$' {
		n.last[cmd[1]] = id.String()
		n.trim(c, cmd[1], trim)
	}
	return reply, nil
}

// trim trims a stream, but for a rough trimming, which only Redis can tell.
func (n *Embedded) trim(c *server.Peer, key string, t trimming) string {
	if t.by == "" || t.roughly {
		return ":0\r\n"
	}
	return n.ask(c, "XTRIM", key, t.by, t.limit)
}

// newID returns the ID of a new entry.
func (n *Embedded) newID(c *server.Peer, key, text string) (id entryID, refusal string) {
	last, fine := n.lastID(c, key), true
	if _, more := last.next(); !more {
		return id, errExhausted
	}
	if part, auto := strings.CutSuffix(text, "-*"); auto {
		ms, ok := number(part)
		if !ok {
			return id, errStreamID
		}
		switch id = (entryID{ms, 0}); {
		case ms == last.ms:
			id, fine = last.next()
			fine = fine && id.ms == ms
		case ms < last.ms:
			fine = false
		}
	} else if text == "*" {
		if id = (entryID{uint64(sim.Epoch().UnixMilli() + int64(n.now)), 0}); id.ms <= last.ms {
			id, fine = last.next()
		}
	} else {
		id, _ = parseEntryID(text, 0) // checked
		fine = id.compare(last) > 0
	}
	if !fine {
		return id, errSmallID
	}
	return id, ""
}

// correctXrange reads IDs before options, as Redis does.
func (n *Embedded) correctXrange(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 4 {
		return "", cmd
	}
	from, to := 2, 3
	if cmd[0] == "XREVRANGE" {
		from, to = 3, 2
	}
	instead := slices.Clone(cmd[:4])
	for _, at := range []int{from, to} {
		id, refusal := interval(cmd[at], at == from)
		if refusal != "" {
			return refusal, nil
		}
		instead[at] = id.String()
	}
	count := int64(-1)
	for words := cmd[4:]; len(words) > 0; words = words[2:] {
		if len(words) < 2 || !strings.EqualFold(words[0], "COUNT") {
			return errSyntax, nil
		}
		var ok bool
		if count, ok = integer(words[1]); !ok {
			return errNoInteger, nil
		}
		count = max(count, 0)
	}
	kind := n.typeOf(c, cmd[1])
	switch {
	case kind == "none":
		return "*0\r\n", nil
	case kind != "stream":
		return errWrongType, nil
	case count == 0:
		return nothingRead, nil
	case count > 0:
		instead = append(instead, "COUNT", strconv.FormatInt(count, 10))
	}
	return "", instead
}

// interval reads an end of an interval of IDs, and includes it.
func interval(text string, first bool) (id entryID, refusal string) {
	text, open := strings.CutPrefix(text, "(")
	seq := uint64(math.MaxUint64)
	if first {
		seq = 0
	}
	ok := true
	switch {
	case text == "-" && !open:
	case text == "+" && !open:
		id = entryID{math.MaxUint64, math.MaxUint64}
	default:
		id, ok = parseEntryID(text, seq)
	}
	if !ok {
		return id, errStreamID
	}
	if !open {
		return id, ""
	}
	if first {
		if id, ok = id.next(); !ok {
			return id, "-ERR invalid start ID for the interval\r\n"
		}
		return id, ""
	}
	switch {
	case id == (entryID{}):
		return id, "-ERR invalid end ID for the interval\r\n"
	case id.seq > 0:
		return entryID{id.ms, id.seq - 1}, ""
	}
	return entryID{id.ms - 1, math.MaxUint64}, ""
}

// correctXtrim refuses what miniredis reads otherwise.
func (n *Embedded) correctXtrim(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 4 {
		return "", cmd
	}
	t, rest, refusal, ok := parseTrimming(cmd[2:])
	switch {
	case refusal != "":
		return refusal, nil
	case ok && len(rest) > 0 && strings.EqualFold(rest[0], "LIMIT"):
		n.refuse(lang.New("%s with %s is not simulated", cmd[0], "LIMIT"))
		return errSyntax, nil
	case !ok || len(rest) > 0:
		return errSyntax, nil
	}
	if kind := n.typeOf(c, cmd[1]); kind != "none" && kind != "stream" {
		return errWrongType, nil
	}
	n.keepLast(c, cmd[1])
	return n.trim(c, cmd[1], t), nil
}

// correctXlen replies only once to a wrong type.
func (n *Embedded) correctXlen(c *server.Peer, cmd []string) (string, []string) {
	if kind := n.typeOf(c, cmd[min(1, len(cmd)-1)]); len(cmd) == 2 && kind != "none" && kind != "stream" {
		return errWrongType, nil
	}
	return "", cmd
}

// correctXdel checks all IDs first, and keeps the last one.
func (n *Embedded) correctXdel(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 3 {
		return "", cmd
	}
	if n.typeOf(c, cmd[1]) != "stream" {
		return "", cmd
	}
	instead := slices.Clone(cmd)
	for i, text := range cmd[2:] {
		id, ok := parseEntryID(text, 0)
		if !ok {
			return errStreamID, nil
		}
		instead[2+i] = id.String()
	}
	n.keepLast(c, cmd[1])
	return "", instead
}

// keepLast keeps the last ID of a stream that is about to lose entries.
func (n *Embedded) keepLast(c *server.Peer, key string) {
	if last := n.lastID(c, key); last != (entryID{}) {
		n.last[key] = last.String()
	}
}

// A reading is an XREAD.
type reading struct {
	count   string // "" without a limit
	block   string // the time-out; "" if it does not wait
	keys    []string
	ids     []string
	refusal string
}

// parseXread reads an XREAD of at least four words.
func (n *Embedded) parseXread(c *server.Peer, cmd []string) (r reading) {
	words := cmd[1:]
	for len(words) > 1 && len(r.keys) == 0 {
		switch option := strings.ToUpper(words[0]); option {
		case "COUNT":
			count, ok := integer(words[1])
			if !ok {
				return reading{refusal: errNoInteger}
			}
			if r.count = ""; count > 0 {
				r.count = words[1]
			}
		case "BLOCK":
			switch ms, ok := integer(words[1]); {
			case !ok:
				return reading{refusal: errNoTimeout}
			case ms < 0:
				return reading{refusal: errNegative}
			}
			r.block = words[1]
		case "STREAMS":
			if words = words[1:]; len(words)%2 != 0 {
				return reading{refusal: errUnbalanced}
			}
			r.keys, r.ids = words[:len(words)/2], slices.Clone(words[len(words)/2:])
			continue
		default:
			return reading{refusal: errSyntax}
		}
		words = words[2:]
	}
	if len(r.keys) == 0 {
		return reading{refusal: errSyntax}
	}
	if r.block != "" && n.scripted {
		return reading{refusal: errBlockScript}
	}
	for i, text := range r.ids {
		id, ok := n.lastID(c, r.keys[i]), true
		if kind := n.typeOf(c, r.keys[i]); kind != "none" && kind != "stream" {
			return reading{refusal: errWrongType}
		}
		if text != "$" {
			id, ok = parseEntryID(text, 0)
		}
		if !ok {
			return reading{refusal: errStreamID}
		}
		r.ids[i] = id.String()
	}
	return r
}

// readingOf reads what words has written.
func readingOf(cmd []string) (r reading) {
	if cmd[1] == "COUNT" {
		r.count = cmd[2]
	}
	of := cmd[slices.Index(cmd, "STREAMS")+1:]
	r.keys, r.ids = of[:len(of)/2], of[len(of)/2:]
	return r
}

// words returns the XREAD of some streams that does not wait.
func (r *reading) words(keys, ids []string) []string {
	cmd := []string{"XREAD"}
	if r.count != "" {
		cmd = append(cmd, "COUNT", r.count)
	}
	return slices.Concat(append(cmd, "STREAMS"), keys, ids)
}

// correctXread reads what is there.
func (n *Embedded) correctXread(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 4 {
		return "", cmd
	}
	r := n.parseXread(c, cmd)
	if r.refusal != "" {
		return r.refusal, nil
	}
	return n.readAll(c, r), nil
}

// readAll reads stream by stream: miniredis confuses two readings of one.
func (n *Embedded) readAll(c *server.Peer, r reading) string {
	found, streams := 0, ""
	for i := range r.keys {
		reply := n.ask(c, r.words(r.keys[i:i+1], r.ids[i:i+1])...)
		if one, there := strings.CutPrefix(reply, "*1\r\n"); there {
			found++
			streams += one
		}
	}
	if found == 0 {
		return nothingRead
	}
	return fmt.Sprintf("*%d\r\n%s", found, streams)
}
