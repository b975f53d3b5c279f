package live

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

// A Space is a part of a server under its own prefix. It is not safe for
// concurrent use.
type Space struct {
	server *Server
	// A replica of the server until it takes over, and then the former server.
	follower *follower
	former   *Server
	ctx      context.Context
	prefix   string
	admin    *wire
	conns    []*Conn
	names    []string         // all keys used so far, without the prefix
	guards   map[string]int64 // the deadlines, on the server's clock, that are only guards
	scripts  scripts
}

// A Key is one key of a space.
type Key struct {
	Name  string
	Type  string
	Value string // of a string
	// Fields are of a hash field, value, field, value ...; of a list or a set its
	// elements; of a sorted set member, score, member ...
	Fields []string
	// Deadline is when it ends, in milliseconds on the server's clock; -1
	// without a TTL.
	Deadline int64
}

// guardTTL is the TTL in milliseconds, called a guard, that a key without one
// gets on a server that Lockstep did not start. It counts from the last command
// that left the key so.
const guardTTL = 60_000

func (sp *Space) guarded() bool { return !sp.server.Own() }

// look returns the commands that read every key of the space and then the
// clock. It uses no script, because a server keeps scripts. On a server that
// Lockstep did not start it gives each key without a TTL a guard.
func (sp *Space) look() [][]string {
	var cmds [][]string
	for _, name := range sp.names {
		key := sp.prefix + name
		cmds = append(cmds, []string{"PEXPIRETIME", key})
		if sp.guarded() {
			cmds = append(cmds, []string{"PEXPIRE", key, strconv.Itoa(guardTTL), "NX"}, []string{"PEXPIRETIME", key})
		}
		cmds = append(cmds, []string{"TYPE", key}, []string{"GET", key}, []string{"HGETALL", key}, []string{"LRANGE", key, "0", "-1"},
			[]string{"SMEMBERS", key}, []string{"ZRANGE", key, "0", "-1", "WITHSCORES"})
	}
	return append(cmds, []string{"TIME"})
}

// seen parses the replies to a look: the keys, and the server's time in
// milliseconds.
func (sp *Space) seen(replies []resp.Value) (keys []Key, at int64, err error) {
	asked := len(sp.look())
	if len(replies) != asked {
		return nil, 0, lang.Errorf("%s: %w in answer to a look at keys", sp.server, resp.Err)
	}
	if at, err = readTime(replies[len(replies)-1]); err != nil {
		return nil, 0, lang.Errorf("%s: %w", sp.server, err)
	}
	each := (asked - 1) / max(1, len(sp.names)) // without TIME
	for i, name := range sp.names {
		k, err := sp.key(name, replies[i*each:(i+1)*each])
		if err != nil {
			return nil, 0, lang.Errorf("%s: look at keys: %w", sp.server, err)
		}
		if k.Type != "none" {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys, at, nil
}

// readers is the place of the reply with the parts of a type, after that to GET.
var readers = map[string]int{"hash": 0, "list": 1, "set": 2, "zset": 3}

// key parses the replies of a look to one key. GET and those of readers confirm the
// type, since the key may end between two commands.
func (sp *Space) key(name string, replies []resp.Value) (Key, error) {
	n := len(replies) - len(readers)
	kind, value := replies[n-2], replies[n-1]
	deadline, known := replies[0].Number()
	if !known || kind.Kind != '+' {
		return Key{}, errors.Join(resp.Err, replies[0].Err(), kind.Err())
	}
	k := Key{Name: name, Type: kind.Text, Deadline: deadline}
	switch k.Type {
	case "string":
		if k.Value = value.Text; value.Kind != '$' || value.Null {
			k.Type = "none"
		}
	case "hash", "list", "set", "zset":
		fields := replies[n+readers[k.Type]]
		for _, f := range fields.Items {
			k.Fields = append(k.Fields, f.Text)
		}
		if fields.Kind != '*' || len(k.Fields) == 0 {
			k.Type = "none"
		}
	}
	k.Value = sp.named(k.Value)
	for i := range k.Fields {
		k.Fields[i] = sp.named(k.Fields[i])
	}
	const noTTL = -1
	switch guard, has := sp.guards[name]; {
	case k.Type == "none":
		delete(sp.guards, name)
	case deadline == noTTL && sp.guarded():
		sp.guards[name], _ = replies[2].Number()
	case has && deadline == guard:
		k.Deadline = noTTL // the deadline is only a guard
	default:
		delete(sp.guards, name)
	}
	return k, nil
}

// named returns a value with the names of keys as the lock knows them: a script may
// store one.
func (sp *Space) named(value string) string { return strings.ReplaceAll(value, sp.prefix, "") }

// readTime returns the reply to TIME in milliseconds.
func readTime(v resp.Value) (int64, error) {
	if len(v.Items) == 2 {
		seconds, ok := v.Items[0].Number()
		micros, fine := v.Items[1].Number()
		if ok && fine {
			return seconds*1000 + micros/1000, nil
		}
	}
	return 0, lang.Errorf("%w to TIME", resp.Err)
}

// Look reads every key of the space, and the server's clock in milliseconds.
func (sp *Space) Look() (keys []Key, at int64, err error) {
	replies, err := sp.admin.exchange(transaction(sp.look()))
	if err != nil {
		return nil, 0, lang.Errorf("%s: %w", sp.server, err)
	}
	for _, r := range replies { // a command's own error says more than EXEC's
		if err := r.Err(); err != nil {
			return nil, 0, lang.Errorf("%s: look at keys: %w", sp.server, err)
		}
	}
	return sp.seen(replies[len(replies)-1].Items)
}

// transaction returns commands between MULTI and EXEC.
func transaction(cmds [][]string) [][]string {
	return slices.Concat([][]string{{"MULTI"}}, cmds, [][]string{{"EXEC"}})
}

// FlushScripts makes a server that Lockstep started forget all its scripts. It
// refuses on any other server.
func (sp *Space) FlushScripts() error {
	if sp.guarded() {
		return refused("SCRIPT FLUSH would forget the scripts of others too")
	}
	v, err := sp.admin.ask("SCRIPT", "FLUSH")
	if err != nil {
		return err
	}
	return v.Err()
}

// Close deletes every key of the space and closes its connections, even if the
// space's context has ended.
func (sp *Space) Close() error {
	for _, c := range sp.conns {
		c.wire.close()
	}
	sp.admin.close()
	if f := sp.follower; f != nil {
		if f.link != nil {
			f.link.close()
		}
		f.server.Stop()
	}
	if sp.former != nil {
		sp.former.Stop()
		defer sp.server.Stop() // the former replica
	}
	if len(sp.names) == 0 {
		return nil
	}
	patience := dialTimeout
	if sp.admin.silent || slices.ContainsFunc(sp.conns, func(c *Conn) bool { return c.wire.silent }) {
		patience = lastTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sp.ctx), patience)
	defer cancel()
	w, err := dial(ctx, sp.server.target)
	if err != nil {
		if sp.server.Own() {
			return nil // its keys ended with it
		}
		return lang.Errorf("keys under %s are left until their TTL: %w", sp.prefix, err)
	}
	defer w.close()
	cmd := []string{"DEL"}
	for _, name := range sp.names {
		cmd = append(cmd, sp.prefix+name)
	}
	v, err := w.ask(cmd...)
	if err := errors.Join(err, v.Err()); err != nil {
		return lang.Errorf("keys under %s are left until their TTL: %w", sp.prefix, err)
	}
	return nil
}
