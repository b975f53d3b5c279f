package zookeeper

import (
	"encoding/binary"
	"slices"

	"lockstep/sim/history"
)

// Append appends what identifies the state at a moment. Equal bytes mean the same
// future, for states with the same Config: deadlines are relative to now, and so is
// the tick to which they are rounded. Zxids and the ids of sessions are in it,
// because clients see them.
func (s *State) Append(b []byte, now history.Millis) []byte {
	b = binary.AppendVarint(b, int64(now%s.config.Tick))
	b = binary.AppendVarint(b, s.next)
	b = s.servers[0].view.append(b)
	for i := range s.servers {
		b = s.servers[i].append(b)
	}
	b = binary.AppendVarint(b, int64(len(s.sessions)))
	for _, x := range s.sessions {
		b = binary.AppendVarint(b, x.id)
		b = binary.AppendVarint(b, int64(x.timeout))
		b = binary.AppendVarint(b, int64(x.deadline-now))
		b = appendText(b, x.conn)
	}
	b = binary.AppendVarint(b, int64(len(s.conns)))
	for _, c := range s.conns {
		b = appendText(b, c.name)
		b = binary.AppendVarint(b, int64(c.server))
		b = binary.AppendVarint(b, c.session)
		b = binary.AppendVarint(b, int64(c.timeout))
		b = appendIDs(b, c.who)
		b = appendTexts(b, c.data)
		b = appendTexts(b, c.child)
	}
	return b
}

// append appends how the server differs from the leader.
func (s *server) append(b []byte) []byte {
	b = binary.AppendVarint(b, int64(s.lag))
	b = binary.AppendVarint(b, int64(len(s.missed)))
	if len(s.missed) == 0 {
		return b
	}
	b = s.view.append(b)
	for _, x := range s.missed {
		b = x.view.append(b)
		b = binary.AppendVarint(b, x.ended)
		b = binary.AppendVarint(b, int64(len(x.events)))
		for _, e := range x.events {
			b = appendACL(appendText(append(b, byte(e.kind)), e.path), e.acl)
		}
	}
	return b
}

func (v *view) append(b []byte) []byte {
	b = binary.AppendVarint(b, v.zxid)
	b = binary.AppendVarint(b, int64(len(v.nodes)))
	for _, n := range v.nodes {
		b = n.append(b)
	}
	return b
}

func (n *Node) append(b []byte) []byte {
	b = appendText(b, n.Path)
	if n.Data == nil {
		b = append(b, 0)
	} else {
		b = appendText(append(b, 1), string(n.Data))
	}
	b = appendACL(b, n.ACL)
	for _, v := range []int64{n.Czxid, n.Mzxid, n.Pzxid, n.Ctime, n.Mtime, n.Owner} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range []int32{n.Version, n.Aversion, n.Creations, n.Children} {
		b = binary.AppendVarint(b, int64(v))
	}
	return b
}

func appendACL(b []byte, list []ACL) []byte {
	b = binary.AppendVarint(b, int64(len(list)))
	for _, a := range list {
		b = appendIDs(binary.AppendVarint(b, int64(a.Perms)), []ID{a.ID})
	}
	return b
}

func appendIDs(b []byte, ids []ID) []byte {
	b = binary.AppendVarint(b, int64(len(ids)))
	for _, id := range ids {
		b = appendText(appendText(b, id.Scheme), id.Name)
	}
	return b
}

func appendTexts(b []byte, list []string) []byte {
	b = binary.AppendVarint(b, int64(len(list)))
	for _, v := range list {
		b = appendText(b, v)
	}
	return b
}

func appendText(b []byte, v string) []byte {
	return append(binary.AppendVarint(b, int64(len(v))), v...)
}

// Shift returns the state moved in time. Its future is the same if it is moved by a
// multiple of Tick.
func (s State) Shift(by history.Millis) State {
	if by == 0 {
		return s
	}
	s.sessions = slices.Clone(s.sessions)
	for i := range s.sessions {
		s.sessions[i].deadline += by
	}
	return s
}
