package cli

import "testing"

func TestBackground(t *testing.T) {
	for _, c := range []struct{ theme, colours, want string }{
		{"auto", "", ""}, {"auto", "15;0", "dark"}, {"auto", "0;default;15", "light"}, {"auto", "7;8", "dark"}, {"auto", "0;7", "light"},
		{"auto", "15;default", ""}, {"auto", "15;16", ""}, {"auto", "0;-1", ""}, {"dark", "0;15", "dark"}, {"light", "15;0", "light"},
	} {
		if got := background(c.theme, c.colours); got != c.want {
			t.Errorf("%s, %q: %q, not %q", c.theme, c.colours, got, c.want)
		}
	}
}
