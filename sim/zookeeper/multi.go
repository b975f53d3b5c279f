package zookeeper

// multi does all parts of a multi or none, and returns what follows the header of
// its reply. That cannot ask for a node with a TTL. In the reply to one that
// failed, the parts before the one that failed have the error 0, those behind it
// RuntimeInconsistency.
func (d *draft) multi(q *Request) ([]byte, Code) {
	before := *d
	parts := make([]part, 0, len(q.Ops))
	failed := -1
	for i := range q.Ops {
		if o := &q.Ops[i]; o.withTTL() {
			return nil, MarshallingError
		}
		p, code := d.do(&q.Ops[i])
		if p.op == Create2 { // the server's transaction no longer knows that it was asked for more
			p.op = Create
		}
		parts = append(parts, p)
		if code != OK {
			failed = i
			break
		}
	}
	if failed >= 0 {
		*d = before
		parts = failure(parts[failed], failed, len(q.Ops))
	}
	var w writer
	for i := range parts {
		w.multiHeader(parts[i].op, false, parts[i].code)
		w.part(&parts[i])
	}
	w.multiHeader(opError, true, -1)
	return w.b, OK
}

func failure(p part, at, n int) []part {
	parts := make([]part, n)
	for i := range parts {
		parts[i].op = opError
		if i > at {
			parts[i].code = RuntimeInconsistency
		}
	}
	parts[at] = p
	return parts
}
