package history

import (
	"fmt"
	"strconv"
	"strings"
)

// Verb says what an action does.
type Verb string

// The verbs. Step, Send and Apply concern one thread; the others up to Rate
// one client.
const (
	Step        Verb = "step"         // the thread performs its pending operation
	Send        Verb = "send"         // its command leaves and is on the way
	Arrive      Verb = "apply"        // its command reaches the node; the reply is on the way
	LoseRequest Verb = "lose-request" // its command never reaches the node
	LoseReply   Verb = "lose-reply"   // the reply never reaches the client
	Late        Verb = "late"         // a command whose sender gave up or died reaches the node
	Crash       Verb = "crash"        // the client's process dies
	Hang        Verb = "hang"         // its main thread never goes on; its background threads do
	Jump        Verb = "jump"         // its clock jumps By
	Rate        Verb = "rate"         // its clock runs at By thousandths of true speed
	Flush       Verb = "flush"        // every node forgets its scripts
	Advance     Verb = "advance"      // time passes: By
	Tick        Verb = "tick"         // time passes to the next deadline
)

// An Action is one pick: what happens next in a world.
type Action struct {
	Verb   Verb
	Client string
	Thread int
	By     Millis
}

// String writes the action as schedules do: "A", "A/1.send", "A.crash",
// "A.jump+5000", "+5000", "tick".
func (a Action) String() string {
	who := a.Client
	if a.Thread > 0 {
		who += "/" + strconv.Itoa(a.Thread)
	}
	switch a.Verb {
	case Step:
		return who
	case Advance:
		return fmt.Sprintf("%+d", int64(a.By))
	case Jump, Rate:
		return fmt.Sprintf("%s.%s%+d", who, a.Verb, int64(a.By))
	case Tick, Flush:
		return string(a.Verb)
	}
	return who + "." + string(a.Verb)
}

// ParseAction reads what String wrote.
func ParseAction(s string) (Action, error) {
	fail := func(why string) (Action, error) {
		return Action{}, fmt.Errorf("action %q: %s", s, why)
	}
	switch {
	case s == "":
		return fail("empty")
	case s == string(Tick), s == string(Flush):
		return Action{Verb: Verb(s)}, nil
	case s[0] == '+' || s[0] == '-':
		by, err := parseBy(s)
		if err != nil || by <= 0 {
			return fail("time only moves forward, by whole milliseconds")
		}
		return Action{Verb: Advance, By: by}, nil
	}
	who, verb, dotted := strings.Cut(s, ".")
	client, thread, slashed := strings.Cut(who, "/")
	if err := checkName(client); err != nil {
		return fail(err.Error())
	}
	a := Action{Verb: Step, Client: client}
	if slashed {
		n, err := strconv.Atoi(thread)
		if err != nil || n < 1 || n > maxThreads || strconv.Itoa(n) != thread {
			return fail(fmt.Sprintf("%q is no thread number", thread))
		}
		a.Thread = n
	}
	if !dotted {
		return a, nil
	}
	if i := strings.IndexAny(verb, "+-"); i >= 0 && (verb[:i] == string(Jump) || verb[:i] == string(Rate)) {
		by, err := parseBy(verb[i:])
		if err != nil {
			return fail(err.Error())
		}
		a.Verb, a.By = Verb(verb[:i]), by
		if a.Verb == Rate && (by < 1 || by > MaxRate) {
			return fail(fmt.Sprintf("a rate lies between 1 and %d thousandths", MaxRate))
		}
	} else {
		a.Verb = Verb(verb)
	}
	switch a.Verb {
	case Send, Arrive, LoseRequest, LoseReply:
		return a, nil
	case Crash, Hang, Late, Jump, Rate:
		if a.Thread != 0 {
			return fail("concerns a whole client, not one thread")
		}
		if (a.Verb == Jump || a.Verb == Rate) == (a.By == 0) {
			return fail("needs a number such as +5000")
		}
		return a, nil
	}
	return fail(fmt.Sprintf("%q is no verb; send, apply, lose-request, lose-reply, late, crash, hang, jump and rate are", verb))
}

const (
	maxThreads = 99
	// MaxRate is the fastest that a clock can run, in thousandths of true speed.
	MaxRate = 1_000_000
)

func parseBy(s string) (Millis, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(maxMillis) || n < -int64(maxMillis) {
		return 0, fmt.Errorf("%q is no number of milliseconds between %d and %d", s, -int64(maxMillis), int64(maxMillis))
	}
	return Millis(n), nil
}

// A Schedule is the list of picks. Configuration and schedule together
// determine a history to the byte.
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

// Switches counts the context switches: how often a client acts after another
// one. Time and what happens to everybody belong to nobody.
func (s Schedule) Switches() int {
	n, last := 0, ""
	for _, a := range s {
		if a.Client == "" {
			continue
		}
		if last != "" && a.Client != last {
			n++
		}
		last = a.Client
	}
	return n
}

// MaxSchedule is the longest schedule that ParseSchedule takes.
const MaxSchedule = 100_000

// ParseSchedule reads what String wrote.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for _, word := range strings.Fields(text) {
		word, times, repeated := strings.Cut(word, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 2 {
				return nil, fmt.Errorf("action %q: %q is no number of times", word, times)
			}
		}
		a, err := ParseAction(word)
		if err != nil {
			return nil, err
		}
		if n > MaxSchedule-len(s) {
			return nil, fmt.Errorf("the schedule has more than %d actions", MaxSchedule)
		}
		for range n {
			s = append(s, a)
		}
	}
	return s, nil
}
