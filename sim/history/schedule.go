package history

import (
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// A Schedule is a list of actions. Configuration and schedule determine a
// history to the byte.
type Schedule []Action

// String writes the actions with a space between them, and n equal ones in a
// row as "A*n".
func (s Schedule) String() string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s[i].String())
		if n > 1 {
			b.WriteString("*" + strconv.Itoa(n))
		}
		i += n
	}
	return b.String()
}

// MaxSchedule bounds the actions of a run, and so the schedules that
// ParseSchedule accepts.
const MaxSchedule = 20_000

// ParseSchedule reads what String wrote.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for _, word := range strings.Fields(text) {
		word, times, repeated := strings.Cut(word, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 2 {
				return nil, lang.Errorf("action %q: %q is not a number of times", word, times)
			}
		}
		a, err := ParseAction(word)
		if err != nil {
			return nil, err
		}
		if n > MaxSchedule-len(s) {
			return nil, lang.Errorf("the schedule has more than %d actions", MaxSchedule)
		}
		for range n {
			s = append(s, a)
		}
	}
	return s, nil
}
