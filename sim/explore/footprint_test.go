package explore

import (
	"context"
	"reflect"
	"testing"

	"lockstep/sim/testsize"
)

// TestLearntByWhatItTouches: what was learnt of an action is what it does in
// every state that was reached, however much of that is new to it.
func TestLearntByWhatItTouches(t *testing.T) {
	testsize.Single(t)
	for _, tt := range []struct{ lock, hazard string }{
		{"set-lua", "late-request"}, {"watch-del", "node-restart"}, {"fenced", "overrun"},
		{"redlock", "partition"}, {"redlock", "failover"}, {"watchdog-lua", "hang"},
	} {
		t.Run(tt.lock+"/"+tt.hazard, func(t *testing.T) {
			h, _ := FindHazard(tt.hazard)
			h.Bounds.States = 6000
			lock := lockOf(t, tt.lock)
			p := newParts(context.Background(), h.Config(lock, "A", "B"), lock.Subject)
			defer p.close()
			e := newSearch(context.Background(), p, h.Bounds, Options{Jobs: 1})
			if err := e.run(); err != nil {
				t.Fatal(err)
			}
			actions, learnt := len(p.verbs.list), len(p.deeds.answers)
			pairs, compared := map[[3]int32]bool{}, 0
			for i := range e.states.shards {
				for n := range e.states.shards[i].n {
					s := e.states.at(uint32(i)<<shardShift | n)
					for who := range e.config.Clients {
						pair := [3]int32{int32(who), s.client(who), s.env()}
						if pairs[pair] {
							continue
						}
						pairs[pair] = true
						compared += p.compare(t, who, pair[1], pair[2], actions)
					}
				}
			}
			if compared <= learnt {
				t.Errorf("%d answers, of %d that were learnt: nothing was known by what it touches", compared, learnt)
			}
		})
	}
}

// compare asks Step itself, and counts what was known.
func (p *parts) compare(t *testing.T, who int, client, env int32, actions int) (compared int) {
	if is, want := *p.stand(who, client, env), p.look(who, client, env); !reflect.DeepEqual(is, want) {
		t.Fatalf("client %d of %s stands at %+v in env %d, want %+v", client, p.names[who], is, env, want)
	}
	for action, a := range p.verbs.list[:actions] {
		if a.Client != p.names[who] {
			continue
		}
		if _, known := p.deeds.find(p, who, client, env, int16(action)); known == nil {
			continue
		}
		m, ok, err := p.act(who, client, env, int16(action))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.try(who, client, env, a)
		if err != nil {
			t.Fatal(err)
		}
		want := move{d.client, d.env, d.events, int16(action)}
		if d.env < 0 {
			want.env = env
		}
		if d.refused {
			want = move{}
		}
		if ok == d.refused || m != want {
			t.Fatalf("%s by client %d in env %d comes to %+v, %t, want %+v", a, client, env, m, ok, want)
		}
		compared++
	}
	return compared
}
