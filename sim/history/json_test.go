package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"lockstep/internal/testkit"
)

func TestJSONIsLossless(t *testing.T) {
	var b bytes.Buffer
	h := sample()
	testkit.OK(t, WriteJSON(&b, h))
	var head header
	in := json.NewDecoder(&b)
	if err := in.Decode(&head); err != nil || head != (header{schema, h.Config.String(), h.Nodes, h.Schedule.String()}) {
		t.Errorf("the header is %+v, %v", head, err)
	}
	for _, want := range h.Events {
		var got Event
		if err := in.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
		}
	}
	if in.More() {
		t.Error("there are more lines than events")
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
		if f := reflect.TypeFor[Event]().Field(i); f.IsExported() && !covered[f.Name] {
			t.Errorf("no sample event has %s", f.Name)
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
