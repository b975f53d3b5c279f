package explore

import (
	"slices"
)

// A worker expands states. Its results go to an outbox, and shared data does
// not change meanwhile, so that workers can run in parallel. The learner is a
// worker that learns transitions; it runs alone.
type worker struct {
	*search
	learns bool

	next    []transition // of the states that are being expanded
	froms   [ahead]state // these states
	ends    [ahead]int   // for each, the end of its transitions in next; unknowable if they are not learned
	fired   []int64      // by list of events
	acted   []int64      // by action
	taken   int          // transitions
	touched int32        // no meaning; it keeps the compiler from removing the prefetch
}

// unknowable means that transitions are not learned.
const unknowable = -1

// An outbox is the result of expanding some states, in their order.
type outbox struct {
	rows    [shardCount][]uint32
	hashes  [shardCount][]uint32
	unknown []uint32 // states whose transitions are not learned
	ending  []uint32 // states without successors, except by faults
	hits    []hit
}

func (e *search) newWorker() *worker {
	parts := len(e.Config.Processes()) + stateExtra
	w := &worker{search: e}
	for i := range w.froms {
		w.froms[i] = make(state, parts)
	}
	return w
}

// reset empties the outbox.
func (o *outbox) reset() {
	for i := range o.rows {
		o.rows[i], o.hashes[i] = o.rows[i][:0], o.hashes[i][:0]
	}
	o.unknown, o.ending, o.hits = o.unknown[:0], o.ending[:0], o.hits[:0]
}

// expand sends the successors of states to an outbox. It prefetches the
// judgements of a group of states.
func (w *worker) expand(o *outbox, list []uint32, faulty bool) {
	for len(list) > 0 {
		group := list[:min(ahead, len(list))]
		list = list[len(group):]
		w.next = w.next[:0]
		for i, n := range group {
			w.prepare(i, n, faulty)
		}
		at := 0
		for i, n := range group {
			end := w.ends[i]
			if end == unknowable || !w.judgeAll(w.froms[i].monitor(), w.next[at:end]) {
				o.unknown = append(o.unknown, n)
			} else {
				w.send(o, n, w.froms[i], w.next[at:end], faulty)
			}
			at = max(at, end)
		}
	}
}

// prepare lists the transitions of the i-th state of a group.
func (w *worker) prepare(i int, n uint32, faulty bool) {
	s, at := w.froms[i], len(w.next)
	w.states.layout.unpack(s, w.states.row(n))
	if ok, _ := w.offer(s, faulty); !ok { // only the learner can fail
		w.next, w.ends[i] = w.next[:at], unknowable
		return
	}
	w.ends[i] = len(w.next)
	for _, t := range w.next[at:] {
		if t.visible != 0 {
			w.touched ^= w.Prefetch(s.monitor(), t.visible)
		}
	}
}

// goesOn reports whether a state has a successor without a fault, other than by
// a spin.
func (w *worker) goesOn(from state, list []transition) bool {
	if len(w.spinning) == 0 {
		return len(list) > 0
	}
	return slices.ContainsFunc(list, func(t transition) bool {
		who := int(t.who)
		return who == nobody || !w.stepMoves.byClient[who].Get(from.client(who), from.env()).spins
	})
}

// send puts the successors of a state into the outbox.
func (w *worker) send(o *outbox, n uint32, from state, list []transition, faulty bool) {
	if !faulty && !w.goesOn(from, list) {
		o.ending = append(o.ending, n)
	}
	w.taken += len(list)
	row, sum := w.states.row(n), from.hash()
	for i := range list {
		t := &list[i]
		w.fired, w.acted = count(w.fired, int(t.events)), count(w.acted, int(t.action))
		if t.violates&^w.settled != 0 && w.counts(w.caused(from, t)) {
			o.hits = append(o.hits, hit{t.violates, n, t.action})
		}
		w.sendTo(o, n, row, from, sum, t, faulty)
	}
}

// row appends a row for a state with a hash.
func (o *outbox) row(h uint64, stride int) []uint32 {
	shard := shardOf(h)
	o.hashes[shard] = append(o.hashes[shard], uint32(h))
	rows := slices.Grow(o.rows[shard], stride)
	rows = rows[:len(rows)+stride]
	o.rows[shard] = rows
	return rows[len(rows)-stride:]
}

// sendTo puts the successor by a transition into the outbox: a copy of the
// state with the changed parts.
func (w *worker) sendTo(o *outbox, n uint32, row []uint32, from state, sum uint64, t *transition, faulty bool) {
	fields := w.states.layout.fields
	rest := len(fields) - stateExtra
	sum += weigh(rest+stateEnv, t.env-from.env()) + weigh(rest+stateMonitor, t.monitor-from.monitor())
	if t.who != nobody {
		sum += weigh(int(t.who), t.client-from.client(int(t.who)))
	}
	faults, ticks := w.spends(t, faulty)
	cause := w.caused(from, t)
	sum += weigh(rest+stateFaults, faults) + weigh(rest+stateTicks, ticks) + weigh(rest+stateCause, cause-from.cause())
	to := o.row(mix(sum), len(row))
	//lint:ignore S1001 they are too few for copy to pay
	for i := range row {
		to[i] = row[i]
	}
	if t.who != nobody {
		fields[t.who].set(to, t.client)
	}
	fields[rest+stateEnv].set(to, t.env)
	fields[rest+stateMonitor].set(to, t.monitor)
	if faults+ticks != 0 {
		fields[rest+stateFaults].set(to, int32(from.faults())+faults)
		fields[rest+stateTicks].set(to, int32(from.ticks())+ticks)
	}
	if cause != from.cause() {
		fields[rest+stateCause].set(to, cause)
	}
	to[len(to)-1] = n
}

// count adds one to an element of a list, which grows as needed.
func count(list []int64, which int) []int64 {
	for which >= len(list) {
		list = append(list, 0)
	}
	list[which]++
	return list
}

// sum adds lists element by element.
func sum(lists ...[]int64) []int64 {
	var all []int64
	for _, list := range lists {
		for i, n := range list {
			if i == len(all) {
				all = append(all, 0)
			}
			all[i] += n
		}
	}
	return all
}
