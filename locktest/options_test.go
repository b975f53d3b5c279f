package locktest

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestOptionsRefuse: an option that nobody can mean is named with what fits; nothing panics.
func TestOptionsRefuse(t *testing.T) {
	taken := errors.New("taken")
	for _, test := range []struct {
		opt  Option
		says string // "" if it fits
	}{
		{RefusedBy(taken, nil), "RefusedBy: error 2 is nil"},
		{LostBy(nil), "LostBy: error 1 is nil"},
		{RefusedIf(nil), "RefusedIf: nil"},
		{Work(0), "Work: 0s"},
		{Work(-time.Second), "Work: -1s"},
		{Work(1 << 62), "Work: "},
		{Work(time.Second), ""},
		{RefusedBy(taken), ""},
		{RefusedIf(OfType[*strategyError]), ""},
	} {
		o := defaults()
		if test.opt(&o); test.says == "" && o.err != nil || test.says != "" && (o.err == nil || !strings.HasPrefix(o.err.Error(), test.says)) {
			t.Errorf("%v, and not %q", o.err, test.says)
		}
	}
}

type strategyError struct{}

func (*strategyError) Error() string { return "taken" }
