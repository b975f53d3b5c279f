package history

import (
	"reflect"
	"strings"
	"testing"
)

func TestMillis(t *testing.T) {
	for text, want := range map[string]Millis{"0s": 0, "500ms": 500, "5s": 5000, "1m": 60_000, "24h": 24 * 3600 * Second, "1m30s": 90_000, "-5s": -5000, "-2h": -7200_000, "1m0.001s": 60_001, "61m": 3660_000, "277777h46m40s": MaxTime, "-277777h46m40s": -MaxTime} {
		got, err := ParseMillis(text)
		if err != nil || got != want {
			t.Errorf("ParseMillis(%q) = %d, %v; want %d", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%d.String() = %q, want %q", got, got, text)
		}
	}
	for _, text := range []string{"", "5", "abc", "1us", "1.5ms", "400000h", "9999999999h", "277777h46m40.001s", "-277777h46m40.001s"} {
		if got, err := ParseMillis(text); err == nil {
			t.Errorf("ParseMillis(%q) = %d, want an error", text, got)
		}
	}
}

func TestSchedule(t *testing.T) {
	for _, text := range []string{
		"", "A", "A*3 B A", "A/1", "A.send A.apply A.lose-request A.lose-reply B/2.apply", "A.crash B.hang A.late",
		"r1.restart r2.wipe r3.down r3.up r9.slow r9.fast r1.jump-5000 r1.promote+8 A.cut:r1 B.heal:r9",
		"A.jump+10000 A.jump-5 B.rate+1100", "+5000 tick flush", "Worker1 Worker2.crash",
		"A/9999", "A.rate+1 A.rate+1000000 r1.rate+250", "r1.promote+1 B", "+1000000000000 A.jump-1000000000000", "Az09aZ Z0 Abcdefghijkl.hang", "A*20000",
		"A~1 B/2~ffffffff A.cancel~1f A.lose-reply~10*2",
	} {
		s, err := ParseSchedule(text)
		if err != nil {
			t.Errorf("ParseSchedule(%q): %v", text, err)
		} else if got := s.String(); got != text {
			t.Errorf("ParseSchedule(%q).String() = %q", text, got)
		}
	}
	for text, says := range map[string]string{
		"a": "name", "A.": "verb", "A.foo": "verb", "A/0": "thread", "A/x": "thread", "A/1.crash": "whole client", "+0": "forward",
		"-5": "forward", "A.jump": "number", "A.jump+0": "number", "A.rate-1": "rate", "A.rate+99999999": "rate", "A*1": "times", "A*x": "times",
		"A*20001": "more than", "A.crash+5": "verb", "+9999999999999999999": "forward", "é": "name", "A/01": "thread",
		"r1": "client", "r1.crash": "client", "A.wipe": "node", "A.cut": "node", "A.cut:": "node", "A.cut:B": "node", "r1.cut:r2": "name", "A/1.cut:r1": "thread",
		"A/10000": "thread", "A.rate+1000001": "rate", "r1.promote-1": "missed", "+1000000000001": "forward", "+x": "forward", "A.jump-1000000000001": "between", "A.jump+x": "between",
		"A.jump+1000000000001": "between", "s1.wipe": "name", "r:.wipe": "name", "A.restart": "node", "A.wipe:r1": "verb", "A.jump:r1": "verb", "A*1x": "times", "A*19999 A*2": "more than", "Abcdefghijklm": "name",
		"A@": "letters", "A[": "letters", "A`": "letters", "A{": "letters", "A;": "letters", "A-": "letters", "[": "name", "@": "name", "B/1.restart": "node", "A.cut:r1:r2": "node",
		"r0.wipe": "name", "r1.promote": "number", "r1.promote+9": "missed", "r1.rate-5": "rate", "r1.wipe:r2": "verb",
		"A~": "drew", "A~0": "drew", "A~01": "drew", "A~g": "drew", "A~1F": "drew", "A~100000000": "drew", "r1.wipe~1": "client draws", "A~1.send": "drew", "+5~1": "forward",
	} {
		if s, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseSchedule(%q) = %v, %v; want an error with %q", text, s, err, says)
		}
	}
}

// TestNoActionIsEmpty: no schedule has an empty word, but a person may type one.
func TestNoActionIsEmpty(t *testing.T) {
	if _, err := ParseAction(""); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for _, text := range []string{
		"strategy=set-lua clients=A,B",
		"strategy=set-del clients=A,B,C ttl=500ms wait=2s poll=50ms work=10s rounds=3 nest=2 timeout=300ms retries=3 resource=task stock=7 delay=longest",
		"strategy=abcdefghij-abcdefghij-abcdefghij-0123456 clients=A,B,C,D,E,F,G,Abcdefghijkl ttl=1ms poll=1ms rounds=100 nest=8 timeout=1ms retries=10 nodes=9 lag=8 stock=1000000",
	} {
		c, err := ParseConfig(text)
		if err != nil || c.String() != text {
			t.Errorf("ParseConfig(%q) = %q, %v", text, c, err)
		}
	}
	for text, says := range map[string]string{
		"": "id", "strategy=Set": "id", "strategy=x clients=": "name", "strategy=x clients=a": "name", "strategy=x clients=A,A": "twice",
		"strategy=x clients=A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z,AA,AB,AC,AD,AE": "too many", "strategy=x ttl=0s": "too short", "strategy=x ttl=x": "duration", "strategy=x rounds=0": "between",
		"strategy=x nest=9": "between", "strategy=x resource=car": "stock, task, cache", "strategy=x stock=0": "between", "strategy=x delay=medium": "drawn, shortest, longest", "strategy=abcdefghij-abcdefghij-abcdefghij-01234567": "id", "strategy=x rounds=101": "between", "strategy=x rounds=x": "between", "strategy=x retries=x": "between", "strategy=x stock=1000001": "between", "strategy=x poll=0s": "too short",
		"strategy=x retries=-1": "between", "strategy=x clients=Abcdefghijklm": "name", "strategy=x lag=9": "between", "strategy=x stock=x": "between", "strategy=x wait=-1ms": "too short",
		"strategy=x foo=1": "no \"foo\"", "strategy": "name=value",
	} {
		if c, err := ParseConfig(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseConfig(%q) = %v, %v; want an error with %q", text, c, err, says)
		}
	}
}

func sample() History {
	c, _ := ParseConfig("strategy=set-lua clients=A,B ttl=2s")
	s, _ := ParseSchedule("A*3 B.crash +5000")
	return History{Config: c, Nodes: 1, Schedule: s, Events: []Event{
		{Seq: 0, Kind: Invoke, Client: "A", Op: OpAcquire, Call: 1},
		{Seq: 1, Pick: 1, At: 5, Kind: Apply, Client: "A", Strand: 1, Node: "r1", Call: 2, During: 1, Cmds: [][]string{{"SET", "k", "<\"\u2028锁"}},
			Reply: "OK", Source: "strategies/x.go:1", Changes: []Change{{"k", nil, &KeyState{"string", "v", 9}}, {"l", &KeyState{"hash", "{}", 0}, nil}}},
		{Seq: 2, Pick: 4, At: 9, Kind: Resource, Op: WriteOp, Value: -1, Version: 2, Based: 1, Fence: 3, Token: "A-1", By: 4, Text: "stock", Outcome: "x", Busy: true},
	}}
}

func FuzzSchedule(f *testing.F) {
	for _, seed := range []string{"A*3 B/1.send", "A.jump-5 +10 tick flush", "A.rate+1100*2", "r1.jump+5*2 A.cut:r2 r3.promote+1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err != nil {
			return
		}
		again, err := ParseSchedule(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q reads as %v, and again as %v, %v", text, s, again, err)
		}
	})
}

func FuzzConfig(f *testing.F) {
	f.Add("strategy=set-lua clients=A,B ttl=2s")
	f.Add("strategy=x stock=7 resource=task")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConfig(text)
		if err != nil {
			return
		}
		again, err := ParseConfig(c.String())
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%q reads as %v, and again as %v, %v", text, c, again, err)
		}
	})
}
