package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/resp"
)

// A Space is a part of a server under a prefix of its own. It is not safe for
// concurrent use.
type Space struct {
	server *Server
	// A replica of the server, until it takes over; and the server before that.
	follower *follower
	former   *Server
	ctx      context.Context
	prefix   string
	admin    *wire
	conns    []*Conn
	names    []string         // every key that was ever named, without the prefix
	guards   map[string]int64 // the deadline that a key has only for its cleaning up
	scripts  scripts
}

// A Key is one key of a space.
type Key struct {
	Name   string
	Type   string
	Value  string   // of a string
	Fields []string // of a hash: field, value, field, value ...
	Left   int64    // milliseconds; -1 if it has no TTL
}

// guardTTL is how long a key without a TTL is left on a server that is not our
// own, counted from the last command that left it so.
const guardTTL = 60_000

// look reads keys; with ARGV[1] it gives those that have no TTL that one. All
// writing comes first: older servers let no script write after it has read
// something that is not the same everywhere.
const look = `
local left, out = {}, {}
for i, key in ipairs(KEYS) do
	left[i] = redis.call("PTTL", key)
	if left[i] == -1 and ARGV[1] ~= "0" then redis.call("PEXPIRE", key, ARGV[1]) end
end
for i, key in ipairs(KEYS) do
	local kind, value = redis.call("TYPE", key)["ok"], ""
	if kind == "string" then value = redis.call("GET", key) end
	if kind == "hash" then value = redis.call("HGETALL", key) end
	out[i] = {kind, value, left[i]}
end
out[#out + 1] = redis.call("TIME")
return out`

func (sp *Space) guarded() bool { return !sp.server.Own() }

// lookAt is the command that looks at every key of the space.
func (sp *Space) lookAt() []string {
	cmd := []string{"EVAL", look, strconv.Itoa(len(sp.names))}
	for _, name := range sp.names {
		cmd = append(cmd, sp.prefix+name)
	}
	if sp.guarded() {
		return append(cmd, strconv.Itoa(guardTTL))
	}
	return append(cmd, "0")
}

// seen reads what a look answers: the keys that are there, and when that was,
// in milliseconds on the server's clock.
func (sp *Space) seen(v resp.Value) (keys []Key, at int64, err error) {
	if err := v.Err(); err != nil {
		return nil, 0, fmt.Errorf("%s: look at keys: %w", sp.server, err)
	}
	if len(v.Items) != len(sp.names)+1 {
		return nil, 0, fmt.Errorf("%s: %w to a look at keys", sp.server, resp.Err)
	}
	at, err = readTime(v.Items[len(sp.names)])
	if err != nil {
		return nil, 0, err
	}
	for i, name := range sp.names {
		item := v.Items[i]
		if len(item.Items) != 3 {
			return nil, 0, fmt.Errorf("%s: %w to a look at keys", sp.server, resp.Err)
		}
		k := Key{Name: name, Type: item.Items[0].Text, Value: item.Items[1].Text}
		if k.Type == "none" {
			delete(sp.guards, name)
			continue
		}
		for _, f := range item.Items[1].Items {
			k.Fields = append(k.Fields, f.Text)
		}
		k.Left, _ = item.Items[2].Number()
		keys = append(keys, sp.unguarded(k, at))
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys, at, nil
}

// unguarded returns a key as it would be without the deadline that it has only
// for its cleaning up.
func (sp *Space) unguarded(k Key, at int64) Key {
	const tolerance = 5
	guard, has := sp.guards[k.Name]
	switch {
	case k.Left < 0:
		k.Left = -1
		if sp.guarded() {
			sp.guards[k.Name] = at + guardTTL
		}
	case has && max(at+k.Left-guard, guard-at-k.Left) <= tolerance:
		k.Left = -1
	default:
		delete(sp.guards, k.Name)
	}
	return k
}

// readTime reads what TIME answers, in milliseconds.
func readTime(v resp.Value) (int64, error) {
	if len(v.Items) == 2 {
		seconds, ok := v.Items[0].Number()
		micros, fine := v.Items[1].Number()
		if ok && fine {
			return seconds*1000 + micros/1000, nil
		}
	}
	return 0, fmt.Errorf("%w to TIME", resp.Err)
}

// Look reads every key of the space, and the server's clock.
func (sp *Space) Look() (keys []Key, at int64, err error) {
	v, err := sp.admin.ask(sp.lookAt()...)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", sp.server, err)
	}
	return sp.seen(v)
}

// FlushScripts lets the server forget its scripts: all of them, so that only a
// server of our own is asked to.
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

// Close deletes every key of the space and closes its connections. It does so
// also if the context of the space is done.
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
		defer sp.server.Stop() // it was the replica
	}
	if len(sp.names) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sp.ctx), dialTimeout)
	defer cancel()
	w, err := dial(ctx, sp.server.target)
	if err != nil {
		if sp.server.Own() {
			return nil // its keys have ended with it
		}
		return fmt.Errorf("keys under %s are left until their TTL: %w", sp.prefix, err)
	}
	defer w.close()
	cmd := []string{"DEL"}
	for _, name := range sp.names {
		cmd = append(cmd, sp.prefix+name)
	}
	v, err := w.ask(cmd...)
	if err := errors.Join(err, v.Err()); err != nil {
		return fmt.Errorf("keys under %s are left until their TTL: %w", sp.prefix, err)
	}
	return nil
}
