package history

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

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
		strings.Replace(head, `"nodes":1`, `"nodes":10`, 1):                     "nodes",
		strings.Replace(head, `"nodes":1`, `"nodes":-1`, 1):                     "nodes",
		strings.Replace(head, `}`, `,"more":1}`, 1):                             "line 1",
		strings.Replace(head, `"schedule":"A"`, `"schedule":"a"`, 1):            "name",
		head + `{"seq":0,"text":"` + strings.Repeat("x", maxLine) + `"}` + "\n": "line 2",
	} {
		if h, err := ReadJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ReadJSON(%.80q) = %v, %v; want an error with %q", text, h, err, says)
		}
	}
}

// TestJSONOfAnyNumberOfNodes: a strategy without Redis has none.
func TestJSONOfAnyNumberOfNodes(t *testing.T) {
	for _, nodes := range []int{0, MaxNodes} {
		h := sample()
		h.Nodes = nodes
		var b bytes.Buffer
		if err := WriteJSON(&b, h); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadJSON(&b); err != nil || got.Nodes != nodes {
			t.Errorf("%d nodes are read as %d, %v", nodes, got.Nodes, err)
		}
	}
}

// failing is a file on a disk with room for so many bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// TestJSONIsWrittenWholeOrNot: a full disk is an error, at whichever line.
func TestJSONIsWrittenWholeOrNot(t *testing.T) {
	for _, room := range []int{0, 200} {
		if err := WriteJSON(&failing{room}, sample()); err == nil || err.Error() != "disk full" {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
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
