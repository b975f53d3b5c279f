package strategies

import (
	"testing"
)

func TestLooselyEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0e12", "0e99", true},
		{"6956620000e10", "695662000e011", true},
		{"1e3", "1000", true},
		{"1000", "01000", true},
		{"69566200abcde", "69566200abcde", true},
		{"69566200abcde", "69566200abcdf", false},
		{"6956620000e10", "6956620000e11", false},
		{"6956620000000", "6956620000001", false},
		{"1e999", "2e999", false}, // too large for a number, for PHP as well
		{"0", "", false},
		{"0", "a", false},
	} {
		if got := looselyEqual(c.a, c.b); got != c.want {
			t.Errorf("looselyEqual(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
