package pages

import (
	"slices"
	"testing"
)

// leadingKey returns the key that leads on: there is one in each frame.
func leadingKey(t testing.TB, m *Shell) FrameKey {
	t.Helper()
	keys := m.frameKeys()
	i := slices.IndexFunc(keys, func(k FrameKey) bool { return k.Leads })
	if i < 0 || slices.ContainsFunc(keys[i+1:], func(k FrameKey) bool { return k.Leads }) {
		t.Fatalf("not one key leads on: %+v", keys)
	}
	if k := keys[i]; k.Off && k.Why == "" {
		t.Errorf("%q leads on, and is off without a reason", k.Does)
	}
	return keys[i]
}

// TestOneKeyLeadsOn: through a chapter the same key leads on, under the same words;
// a question says why it does not.
func TestOneKeyLeadsOn(t *testing.T) {
	m := start(t, Options{Browser: true, Explorer: explorer(t)}, 100, 30)
	press(m, "c", "enter")
	asked, places := 0, 0
	for m.page().(*chapterPage).part() != tryPart {
		k := leadingKey(t, m)
		if k.Press != " " || k.Does != "go on" {
			t.Fatalf("at %q %+v leads on", m.Frame().Title[1], k)
		}
		if k.Off {
			if k.Why != "Answer the question first." {
				t.Errorf("no answer is asked for: %q", k.Why)
			}
			asked++
			press(m, "u")
			continue
		}
		places++
		press(m, k.Press)
	}
	if asked < 2 || places < 15 {
		t.Errorf("%d questions at %d places", asked, places)
	}
	if k := leadingKey(t, m); k.Does != "pick" {
		t.Errorf("in a level %q leads on", k.Does)
	}
}
