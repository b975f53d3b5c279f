package live

import (
	"errors"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

// An Entry is one key that a run has used.
type Entry struct {
	Name  string
	Type  string
	Value string // of a string
	// Fields are of a hash field, value, field, value ...; of a list or a set its
	// elements; of a sorted set member, score, member ...
	Fields []string
	// Deadline is when it ends, in milliseconds on the server's clock; -1
	// without a TTL.
	Deadline int64
	Kept     bool // the command has not changed the deadline
}

var clock = []string{"TIME"}

// deadlines returns the commands that read the deadline of every key.
func (s *Server) deadlines() (cmds [][]string) {
	for _, name := range s.names {
		cmds = append(cmds, []string{"PEXPIRETIME", name})
	}
	return cmds
}

// look returns the commands that read every key and then the clock. It uses no
// script, because a server keeps scripts.
func (s *Server) look() (cmds [][]string) {
	for _, name := range s.names {
		cmds = append(cmds, []string{"PEXPIRETIME", name}, []string{"TYPE", name}, []string{"GET", name}, []string{"HGETALL", name},
			[]string{"LRANGE", name, "0", "-1"}, []string{"SMEMBERS", name}, []string{"ZRANGE", name, "0", "-1", "WITHSCORES"})
	}
	return append(cmds, clock)
}

// seen parses the replies to a look, which other replies may follow: the keys, and
// the server's time in milliseconds.
func (s *Server) seen(replies []resp.Value) (keys []Entry, at int64, err error) {
	const each = 7 // commands for a key
	for _, name := range s.names {
		k, err := readKey(name, replies[:each])
		if err != nil {
			return nil, 0, lang.Errorf("look at keys: %w", err)
		}
		if replies = replies[each:]; k.Type != "none" {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	at, err = readTime(replies[0])
	return keys, at, err
}

// readers are the places of the replies with the parts of a type.
var readers = map[string]int{"hash": 3, "list": 4, "set": 5, "zset": 6}

// readKey parses the replies of a look to one key. GET and those of readers confirm
// the type, since the key may end between two commands.
func readKey(name string, replies []resp.Value) (Entry, error) {
	deadline, known := replies[0].Number()
	if kind := replies[1]; !known || kind.Kind != '+' {
		return Entry{}, errors.Join(resp.Err, replies[0].Err(), kind.Err())
	}
	k := Entry{Name: name, Type: replies[1].Text, Deadline: deadline}
	switch k.Type {
	case "string":
		value := replies[2]
		if k.Value = value.Text; value.Kind != '$' || value.Null {
			k.Type = "none"
		}
	case "hash", "list", "set", "zset":
		fields := replies[readers[k.Type]]
		for _, f := range fields.Items {
			k.Fields = append(k.Fields, f.Text)
		}
		if fields.Kind != '*' || len(k.Fields) == 0 {
			k.Type = "none"
		}
	}
	return k, nil
}

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

// Look reads every key, of which some have a rest, over a connection of its own.
func (s *Server) Look(rests Rests) (keys []Entry, err error) {
	w, err := dial(s.ctx, s.target)
	if err != nil {
		return nil, err
	}
	defer w.close()
	ended, set := winding(rests)
	cmds := append(slices.Concat(ended, set), s.look()...)
	replies, err := w.exchange(append(cmds, s.park()...))
	if err == nil {
		keys, _, err = s.seen(replies[len(ended)+len(set):])
	}
	if err != nil {
		return nil, lang.Errorf("%s: %w", s, err)
	}
	return keys, nil
}

// oneFailed returns the error of a reply that is one: it says more than the reply to EXEC
// after it.
func oneFailed(replies []resp.Value) error {
	for _, v := range replies {
		if err := v.Err(); err != nil {
			return err
		}
	}
	return nil
}
