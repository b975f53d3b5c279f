package pages

import "testing"

// TestNoSuchPlace: an address of a chapter or a level that there is not leads to the list,
// and says so, whatever it contains.
func TestNoSuchPlace(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		m := opened(t, Options{Lang: lang}, 80, 24)
		for address, page := range map[string]string{"course:nosuch": "course", "level:nosuch": "levels", "level:a\x1b[31m\u202e": "levels"} {
			request, ok := PageAt(address)
			if !ok {
				t.Fatalf("%q names no page", address)
			}
			drain(m, m.Update(request))
			if at(m) != page {
				t.Errorf("%q leads to %s", address, at(m))
			}
			if m.notice == "" {
				t.Errorf("%q: nothing said in\n%s", address, m.View())
			}
			check(t, m)
		}
	}
}
