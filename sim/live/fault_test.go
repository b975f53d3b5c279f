package live

import (
	"errors"
	"testing"
)

// TestFollow: a replica gets what the link allows, takes over with that, and
// leaves no process.
func TestFollow(t *testing.T) {
	s, err := Start(t.Context(), Persistent)
	if errors.Is(err, ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	sp, c := space(t, s)
	if err := sp.Follow(); err != nil {
		t.Fatal(err)
	}
	var offsets []int64
	for _, value := range []string{"a", "b", "c"} {
		if _, err := c.Do([][]string{{"SET", "k", value}}); err != nil {
			t.Fatal(err)
		}
		at, err := sp.Offset()
		if err != nil {
			t.Fatal(err)
		}
		offsets = append(offsets, at)
	}
	if err := sp.Promote(offsets[1]); err != nil {
		t.Fatal(err)
	}
	keys, _, err := sp.Look()
	if err != nil || len(keys) != 1 || keys[0].Value != "b" {
		t.Errorf("%+v, %v", keys, err)
	}
	if _, err := c.Do([][]string{{"GET", "k"}}); err == nil {
		t.Error("the connection outlived its server")
	}
}
