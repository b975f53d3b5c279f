package locktest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// binary is a lock whose token is 20 random bytes, which sets its TTL a command later, and deletes
// without a look.
func binary(c Client) (Lock, error) {
	return Funcs(func(ctx context.Context) error {
		token := make([]byte, 20)
		_, _ = rand.Read(token)
		ok, err := c.Redis.SetNX(ctx, c.Key, string(token), 0).Result()
		if ok {
			err = c.Redis.PExpire(ctx, c.Key, c.TTL).Err()
		}
		if err == nil && !ok {
			return ErrNotAcquired
		}
		return err
	}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
}

// TestBinaryTokens: a reader sees a binary token short, each time alike; what is kept has it whole.
func TestBinaryTokens(t *testing.T) {
	testkit.Single(t)
	o := defaults()
	Hazards(Overrun, Crash)(&o)
	all, _ := tryHere(t, binary, &o)
	found := 0
	for _, r := range all {
		for _, f := range r.Found {
			text := f.Text(nil, "lockstep check")
			if strings.Contains(text, `\x`) {
				t.Errorf("%s: %s", r.Hazard, text)
			}
			// Of a run without a TTL, the SET and what is still there after it name the token.
			short := strings.Fields(strings.SplitAfter(text, "SET lock:stock ")[min(1, strings.Count(text, "SET lock:stock "))])[0]
			if f.Invariant == history.LockRecovers && f.Faults == 1 && strings.Contains(text, "(20B)") {
				if found++; !strings.Contains(f.Says, "still "+short+" after") {
					t.Errorf("it is %s in the transcript, and: %s", short, f.Says)
				}
			}
		}
	}
	if found != 1 {
		t.Errorf("%d reports of a key that stays", found)
	}

	h, _ := played(inProcess(binary), history.Default())
	b := prose.Load("zh")
	run := lesson.NewRun(h, nil, nil)
	whole, short := false, false
	for i, row := range run.Rows {
		said := row.Said().In(b.Language())
		for _, k := range run.At(i).Keys {
			said += k.Says(b)
		}
		short = short || strings.Contains(said, "(20B)")
		if strings.Contains(said, `\x`) {
			t.Error(said)
		}
	}
	for _, l := range history.Lines(h.Events, h.Nodes) {
		whole = whole || strings.Contains(l.Text.String(), `\x`)
	}
	if !short || !whole {
		t.Errorf("short in the walkthrough: %v; whole in a story: %v", short, whole)
	}

	v := history.Violation{Invariant: history.LockRecovers, Key: "lock:stock", Detail: lang.New("still %s after %v, %s", `"\x95\xec\xaa\xcf\xc8\xc2\xde\xad"`, "1s", "no TTL")}
	if kept, said := scenarios.Verdict(v), scenarios.VerdictIn(b, v); !strings.Contains(kept, `"\x95\xec\xaa\xcf\xc8\xc2\xde\xad"`) || !strings.Contains(said, "95ecaacf...#") {
		t.Errorf("%s; %s", kept, said)
	}
}
