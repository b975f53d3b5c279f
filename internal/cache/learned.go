package cache

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/gob"
	"io"
	"time"

	"lockstep/sim/explore"
	"lockstep/sim/model"
)

// learned keeps what searches have learned of locks' code. It is an explore.Keeper.
type learned struct {
	*Verdicts
	more  []string // what else the code depends on
	least int      // what has fewer ways is not kept
}

// fewWays is how many ways are learned in less time than a person notices.
const fewWays = 256

// Learned returns the keeper of what searches learn of the code of locks; nil if nothing
// is kept. more is what else decides what that code does.
func (v *Verdicts) Learned(more ...string) explore.Keeper {
	if v == nil || v.Store == nil {
		return nil
	}
	return learned{v, more, fewWays}
}

// key returns the key of what is learned for a question. The hazard and the bounds
// decide what is asked of the code, not what it does.
func (l learned) key(q explore.Question) (Key, bool) {
	q.Hazard, q.Enough = explore.Hazard{Bounds: explore.Bounds{Exact: q.Hazard.Bounds.Exact}}, false
	return l.keyOf("learned", q, l.more)
}

// Recall is explore.Keeper's.
func (l learned) Recall(q explore.Question) (kept model.Kept, since time.Time, ok bool) {
	k, ok := l.key(q)
	if !ok {
		return nil, since, false
	}
	text, _, since, ok := l.Store.GetRead(k, maxPacked)
	if !ok {
		return nil, since, false
	}
	kept, err := unpack(text)
	return kept, since, err == nil
}

// Retain is explore.Keeper's.
func (l learned) Retain(q explore.Question, kept model.Kept) {
	k, ok := l.key(q)
	ways := 0
	for i := range kept {
		ways += len(kept[i].Ways)
	}
	if !ok || ways < l.least {
		return
	}
	if text, err := pack(kept); err == nil {
		l.put(q, k, text)
	}
}

// Forget is explore.Keeper's.
func (l learned) Forget(q explore.Question, wrong bool) {
	k, ok := l.key(q)
	if !ok {
		return
	}
	if wrong && l.Doubted != nil {
		l.Doubted(q.Lock.ID)
	}
	l.Store.Remove(k)
}

// Confirms is explore.Keeper's.
func (l learned) Confirms(ctx context.Context, r *explore.Report) bool {
	return Replay(ctx, r, l.First)
}

// The bounds of what is kept for one question, in bytes: a part of the store that leaves
// room for others, and what that unpacks to. zk-lock under overrun takes 1 MiB.
const (
	maxPacked   = MaxBytes / 32
	maxUnpacked = 8 * maxPacked
)

// pack writes what was learned as text; an error if it is too large.
func pack(kept model.Kept) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	in := &counter{Writer: w}
	if err := gob.NewEncoder(in).Encode(kept); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if in.n > maxUnpacked || out.Len() > maxPacked {
		return nil, errNot
	}
	return out.Bytes(), nil
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int
}

func (c *counter) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.Writer.Write(b)
}

// unpack reads what pack wrote, and refuses all else.
func unpack(text []byte) (kept model.Kept, err error) {
	all := io.LimitReader(flate.NewReader(bytes.NewReader(text)), maxUnpacked)
	in := gob.NewDecoder(all)
	if err := in.Decode(&kept); err != nil {
		return nil, err
	}
	if err := in.Decode(&model.Kept{}); err != io.EOF {
		return nil, errNot
	}
	return kept, nil
}
