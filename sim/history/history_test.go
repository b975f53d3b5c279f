package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMillis(t *testing.T) {
	for text, want := range map[string]Millis{"0s": 0, "500ms": 500, "5s": 5000, "1m": 60_000, "24h": 24 * 3600 * Second, "1m30s": 90_000, "-5s": -5000} {
		got, err := ParseMillis(text)
		if err != nil || got != want {
			t.Errorf("ParseMillis(%q) = %d, %v; want %d", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%d.String() = %q, want %q", got, got, text)
		}
	}
	for _, text := range []string{"", "5", "abc", "1us", "1.5ms", "400000h", "9999999999h"} {
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
		"A*100001": "more than", "A.crash+5": "verb", "+9999999999999999999": "forward", "é": "name", "A/01": "thread",
		"r1": "client", "r1.crash": "client", "A.wipe": "node", "A.cut": "node", "A.cut:": "node", "A.cut:B": "node", "r1.cut:r2": "name", "A/1.cut:r1": "thread",
		"r0.wipe": "name", "r1.promote": "number", "r1.promote+9": "missed", "r1.rate+5": "client", "r1.wipe:r2": "verb",
	} {
		if s, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseSchedule(%q) = %v, %v; want an error with %q", text, s, err, says)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, text := range []string{
		"strategy=set-lua clients=A,B",
		"strategy=set-del clients=A,B,C ttl=500ms wait=2s poll=50ms work=10s rounds=3 nest=2 timeout=300ms retries=3 resource=task stock=7",
	} {
		c, err := ParseConfig(text)
		if err != nil || c.String() != text {
			t.Errorf("ParseConfig(%q) = %q, %v", text, c, err)
		}
	}
	for text, says := range map[string]string{
		"": "id", "strategy=Set": "id", "strategy=x clients=": "name", "strategy=x clients=a": "name", "strategy=x clients=A,A": "twice",
		"strategy=x clients=A,B,C,D,E,F,G,H,I": "too many", "strategy=x ttl=0s": "too short", "strategy=x ttl=x": "duration", "strategy=x rounds=0": "between",
		"strategy=x nest=9": "between", "strategy=x resource=car": "stock, task, cache", "strategy=x stock=0": "between", "strategy=x foo=1": "no \"foo\"", "strategy": "name=value",
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
		{Seq: 1, Pick: 1, At: 5, Kind: Apply, Client: "A", Thread: 1, Node: "r1", Call: 2, During: 1, Cmds: [][]string{{"SET", "k", "<\"\u2028锁"}},
			Reply: "OK", Source: "strategies/x.go:1", Changes: []Change{{"k", nil, &KeyState{"string", "v", 9}}, {"l", &KeyState{"hash", "{}", 0}, nil}}},
		{Seq: 2, Pick: 4, At: 9, Kind: Resource, Op: WriteOp, Value: -1, Version: 2, Based: 1, Fence: 3, Token: "A-1", By: 4, Text: "stock", Outcome: "x"},
	}}
}

func TestJSONIsLossless(t *testing.T) {
	var b bytes.Buffer
	h := sample()
	if err := WriteJSON(&b, h); err != nil {
		t.Fatal(err)
	}
	got, err := ReadJSON(&b)
	if err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, h)
	}
	// Every field of an Event is used above, so that a new one is not forgotten.
	covered := map[string]bool{}
	for _, e := range h.Events {
		v := reflect.ValueOf(e)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				covered[v.Type().Field(i).Name] = true
			}
		}
	}
	for i := range reflect.TypeFor[Event]().NumField() {
		if name := reflect.TypeFor[Event]().Field(i).Name; !covered[name] {
			t.Errorf("no sample event has %s", name)
		}
	}
}

func TestJSONRefusesWithTheLine(t *testing.T) {
	const head = `{"schema":1,"config":"strategy=set-lua clients=A,B","nodes":1,"schedule":"A"}` + "\n"
	for text, says := range map[string]string{
		"":                            "empty",
		"{}\n":                        "line 1: schema 0",
		`{"schema":2}`:                "line 1: schema 2",
		`{"schema":1,"config":"x"}`:   "line 1",
		"not json":                    "line 1",
		head + `{"seq":1}`:            "line 2: event 1 where event 0 is due",
		head + `{"seq":0,"what":1}`:   "line 2",
		head + `{"seq":0}{"seq":1}`:   "line 2: more than one value",
		head + "{\"seq\":0}\n" + "[]": "line 3",
		strings.Replace(head, `"nodes":1`, `"nodes":99`, 1):                     "nodes",
		strings.Replace(head, `"schedule":"A"`, `"schedule":"a"`, 1):            "name",
		head + `{"seq":0,"text":"` + strings.Repeat("x", maxLine) + `"}` + "\n": "line 2",
	} {
		if h, err := ReadJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ReadJSON(%.80q) = %v, %v; want an error with %q", text, h, err, says)
		}
	}
}

func TestToken(t *testing.T) {
	h := sample()
	token := Token(h.Config, h.Schedule)
	if strings.ContainsAny(token, " \n\t") {
		t.Errorf("token %q is not one word", token)
	}
	c, s, err := ParseToken(" " + token + "\n")
	if err != nil || !reflect.DeepEqual(c, h.Config) || !reflect.DeepEqual(s, h.Schedule) {
		t.Errorf("ParseToken(Token) = %v, %v, %v", c, s, err)
	}
}

func TestTokenIsRefusedWithTheReason(t *testing.T) {
	h := sample()
	token := Token(h.Config, h.Schedule)
	flip := []byte(token)
	flip[len(flip)/2] ^= 1
	for text, says := range map[string]string{
		"":                               "does not begin",
		"hello":                          "does not begin",
		"ls0.abc":                        `version "ls0"`,
		"ls12.abc":                       `version "ls12"`,
		token[:len(token)-3]:             "damaged",
		string(flip):                     "damaged",
		tokenPrefix + "!!!":              "damaged",
		token + "AAAA":                   "added",
		tokenPrefix:                      "damaged",
		tokenPrefix + token:              "damaged",
		strings.Repeat("x", maxToken+10): "too many",
		Token(Config{}, nil):             "configuration",
	} {
		if _, _, err := ParseToken(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseToken(%.40q): %v; want an error with %q", text, err, says)
		}
	}
	// No single damaged character goes unnoticed.
	for i := range token {
		damaged := []byte(token)
		damaged[i] = 'A'
		if string(damaged) == token {
			continue
		}
		if c, s, err := ParseToken(string(damaged)); err == nil && (c.String() != h.Config.String() || s.String() != h.Schedule.String()) {
			t.Errorf("a token damaged at %d reads as another run: %v %v", i, c, s)
		}
	}
}

// TestErrorsQuoteLittle gives the readers a word that is long, and that a token
// packs into little.
func TestErrorsQuoteLittle(t *testing.T) {
	long := strings.Repeat("x", maxTokenText/2)
	h := sample()
	strange, nobody := h.Config, h.Config
	strange.Strategy, nobody.Clients = long, []string{"A", long}
	for name, token := range map[string]string{
		"action": Token(h.Config, Schedule{{Verb: Step, Client: long}}), "verb": Token(h.Config, Schedule{{Verb: Verb(long), Client: "A"}}),
		"lock": Token(strange, nil), "client": Token(nobody, nil),
	} {
		_, _, err := ParseToken(token)
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if got := Brief("é" + strings.Repeat("é", 1000)); !utf8.ValidString(got) || len(got) > 1000 {
		t.Errorf("Brief gives %q", got)
	}
	if short := strings.Repeat("x", briefHead+briefTail); Brief(short) != short {
		t.Errorf("Brief makes %q of a text that is short", Brief(short))
	}
}

func FuzzToken(f *testing.F) {
	h := sample()
	f.Add(Token(h.Config, h.Schedule))
	f.Add("ls1.")
	f.Add("ls2.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		c, s, err := ParseToken(token)
		if err != nil {
			return
		}
		again, schedule, err := ParseToken(Token(c, s))
		if err != nil || again.String() != c.String() || schedule.String() != s.String() {
			t.Errorf("%q reads as %v %v, and again as %v %v, %v", token, c, s, again, schedule, err)
		}
	})
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

func FuzzReadJSON(f *testing.F) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		Check(h) // whatever was read can be judged
		Lines(h.Events, h.Nodes)
		written := func(h History) string {
			var out bytes.Buffer
			if err := WriteJSON(&out, h); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		once := written(h)
		again, err := ReadJSON(strings.NewReader(once))
		if err != nil || written(again) != once {
			t.Errorf("%q reads as %+v, and again as %+v, %v", text, h, again, err)
		}
	})
}
