package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// Verb says what an action does.
type Verb string

// The verbs. Step to LosePush concern one strand; the others up to Heal
// one client, and Cut and Heal a node beside it. Restart to Promote concern one
// node, and so does a Jump or a Rate of a node's clock.
const (
	Step        Verb = "step"         // the strand performs its pending operation
	Send        Verb = "send"         // its command leaves and is on the way
	Arrive      Verb = "apply"        // its command reaches the node; the reply is on the way
	LoseRequest Verb = "lose-request" // its command never reaches the node
	LoseReply   Verb = "lose-reply"   // the reply never reaches the client
	LosePush    Verb = "lose-push"    // what the node sent it unasked never arrives, and its connection ends
	Late        Verb = "late"         // a command whose sender gave up or died reaches the node
	Crash       Verb = "crash"        // the client's process dies
	Hang        Verb = "hang"         // its main strand never goes on; its background strands do
	Pause       Verb = "pause"        // its process stands still, pings and all, until its next step
	Cancel      Verb = "cancel"       // the context that its code was given ends
	Jump        Verb = "jump"         // its clock jumps By
	Rate        Verb = "rate"         // its clock runs at By thousandths of true speed
	Cut         Verb = "cut"          // nothing gets through any more between it and the node
	Heal        Verb = "heal"         // until now
	Restart     Verb = "restart"      // the node's process dies and comes back with its data
	Wipe        Verb = "wipe"         // the same without its data
	Down        Verb = "down"         // it dies and stays down
	Up          Verb = "up"           // it comes back, with its data
	Slow        Verb = "slow"         // from now on it answers later than anybody waits
	Fast        Verb = "fast"         // until now
	Promote     Verb = "promote"      // its replica takes over, which has missed the last By writes
	Evict       Verb = "evict"        // the node gives up the lock's key: short of memory, or told to by somebody
	Flush       Verb = "flush"        // every node forgets its scripts
	Advance     Verb = "advance"      // time passes: By
	Tick        Verb = "tick"         // time passes to the next deadline
)

// Verbs is every verb.
func Verbs() []Verb {
	return []Verb{
		Step, Send, Arrive, LoseRequest, LoseReply, LosePush, Late, Crash, Hang, Pause, Cancel, Jump, Rate, Cut, Heal,
		Restart, Wipe, Down, Up, Slow, Fast, Promote, Evict, Flush, Advance, Tick,
	}
}

// An Action is one pick: what happens next in a world.
type Action struct {
	Verb   Verb
	Client string
	Node   string
	Strand int
	By     Millis
	// Drew is what the code of the client then did, of several things among which it draws, as
	// select does between cases that are ready; 0 for any.
	Drew uint32
}

// Concerns says what kind of thing an action happens to.
func (a Action) Concerns() (client, node bool) {
	if (a.Verb == Jump || a.Verb == Rate) && a.Node != "" {
		return false, true
	}
	switch a.Verb {
	case Step, Send, Arrive, LoseRequest, LoseReply, LosePush, Late, Crash, Hang, Pause, Cancel, Jump, Rate:
		return true, false
	case Cut, Heal:
		return true, true
	case Restart, Wipe, Down, Up, Slow, Fast, Promote, Evict:
		return false, true
	}
	return false, false
}

// OfStrand says whether a verb concerns one strand of a client.
func (v Verb) OfStrand() bool {
	return v == Step || v == Send || v == Arrive || v == LoseRequest || v == LoseReply || v == LosePush || v == Cancel
}

// IsTime says whether a verb lets time pass.
func (v Verb) IsTime() bool { return v == Tick || v == Advance }

// Who names what the action concerns: a client, a strand of it, a node, or ""
// for the whole world.
func (a Action) Who() string {
	if a.Client == "" {
		return a.Node
	}
	return StrandName(a.Client, a.Strand)
}

// StrandName is what a strand of a client is called: "A" is its main strand,
// "A/1" the first one in the background.
func StrandName(client string, strand int) string {
	if strand == 0 {
		return client
	}
	return client + "/" + strconv.Itoa(strand)
}

// String writes the action as schedules do: "A", "A/1.send", "A.crash",
// "A.jump+5000", "A.cut:r1", "r1.restart", "r1.promote+1", "+5000", "tick"; "A~1f" with what
// it drew.
func (a Action) String() string {
	if drew := a.Drew; drew != 0 {
		a.Drew = 0
		return a.String() + "~" + strconv.FormatUint(uint64(drew), 16)
	}
	who := a.Who()
	switch a.Verb {
	case Step:
		return who
	case Advance:
		return fmt.Sprintf("%+d", int64(a.By))
	case Jump, Rate, Promote:
		return fmt.Sprintf("%s.%s%+d", who, a.Verb, int64(a.By))
	case Cut, Heal:
		return fmt.Sprintf("%s.%s:%s", who, a.Verb, a.Node)
	case Tick, Flush:
		return string(a.Verb)
	}
	return who + "." + string(a.Verb)
}

// ParseAction reads what String wrote.
func ParseAction(s string) (Action, error) {
	wrong := func(why error) (Action, error) {
		return Action{}, lang.Errorf("action %q: %w", s, why)
	}
	switch {
	case s == "":
		return wrong(lang.Errorf("empty"))
	case s == string(Tick), s == string(Flush):
		return Action{Verb: Verb(s)}, nil
	case s[0] == '+' || s[0] == '-':
		by, err := parseBy(s)
		if err != nil || by <= 0 {
			return wrong(lang.Errorf("time only moves forward, by whole milliseconds"))
		}
		return Action{Verb: Advance, By: by}, nil
	}
	text, drew, draws := strings.Cut(s, "~")
	who, verb, dotted := strings.Cut(text, ".")
	a := Action{Verb: Step}
	if draws {
		n, err := strconv.ParseUint(drew, 16, 32)
		if err != nil || n == 0 || strconv.FormatUint(n, 16) != drew {
			return wrong(lang.Errorf("%q is not what code drew", drew))
		}
		a.Drew = uint32(n)
	}
	if dotted {
		if err := a.readVerb(verb); err != nil {
			return wrong(err)
		}
	}
	if err := a.readWho(who); err != nil {
		return wrong(err)
	}
	if err := a.check(); err != nil {
		return wrong(err)
	}
	return a, nil
}

// readVerb takes a verb with its number, or the node of a partition.
func (a *Action) readVerb(text string) error {
	if verb, node, ok := strings.Cut(text, ":"); ok && (verb == string(Cut) || verb == string(Heal)) {
		a.Verb, a.Node = Verb(verb), node
		return nil
	}
	if i := strings.IndexAny(text, "+-"); i >= 0 && slices.Contains(numbered, Verb(text[:i])) {
		by, err := parseBy(text[i:])
		if err != nil {
			return err
		}
		a.Verb, a.By = Verb(text[:i]), by
		return nil
	}
	a.Verb = Verb(text)
	return nil
}

// numbered are the verbs that need a number.
var numbered = []Verb{Jump, Rate, Promote}

// readWho takes a client, a strand of it, or a node.
func (a *Action) readWho(text string) error {
	if isNode(text) && a.Node == "" {
		a.Node = text
		return nil
	}
	client, strand, slashed := strings.Cut(text, "/")
	a.Client = client
	if !slashed {
		return checkName(client)
	}
	n, err := strconv.Atoi(strand)
	if err != nil || n < 1 || n >= MaxStrands || strconv.Itoa(n) != strand {
		return lang.Errorf("%q is not a thread number", strand)
	}
	a.Strand = n
	return checkName(client)
}

// check says what is wrong with an action that was put together from words.
func (a *Action) check() error {
	client, node := a.Concerns()
	if !client && !node {
		return lang.Errorf("%q is not a verb; %s are", a.Verb, verbNames())
	}
	switch {
	case client && a.Client == "":
		return lang.Errorf("%s concerns a client, such as A", a.Verb)
	case node && !isNode(a.Node):
		return lang.Errorf("%q is not a node; nodes are r1 to r%d", a.Node, MaxNodes)
	case !client && a.Client != "":
		return lang.Errorf("%s concerns a node, such as r1", a.Verb)
	case a.Drew != 0 && !client:
		return lang.Errorf("only a client draws")
	case a.Strand != 0 && !a.Verb.OfStrand():
		return lang.Errorf("concerns a whole client, not one thread")
	case slices.Contains(numbered, a.Verb) && a.By == 0:
		return lang.Errorf("needs a number such as +5000")
	case a.Verb == Rate && (a.By < 1 || a.By > MaxRate):
		return lang.Errorf("a rate lies between 1 and %d thousandths", MaxRate)
	case a.Verb == Promote && (a.By < 1 || a.By > MaxLag):
		return lang.Errorf("a replica has missed 1 to %d writes", MaxLag)
	}
	return nil
}

// verbNames are the verbs that stand after a name and a dot.
func verbNames() lang.Message {
	var names []string
	for _, v := range Verbs() {
		if client, node := (Action{Verb: v}).Concerns(); v != Step && (client || node) {
			names = append(names, string(v))
		}
	}
	return lang.Names(names)
}

func isNode(s string) bool { return len(s) == 2 && s[0] == 'r' && s[1] >= '1' && s[1] <= '0'+MaxNodes }

const (
	// MaxStrands is how many strands the clients of a world can have together.
	MaxStrands = 10_000
	// MaxRate is the fastest that a clock can run, in thousandths of true speed.
	MaxRate = 1_000_000
	// MaxLag is how many writes a replica can be behind at most.
	MaxLag = 8
	// MaxNodes is how many nodes a world can have.
	MaxNodes = 9
)

func parseBy(s string) (Millis, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(MaxTime) || n < -int64(MaxTime) {
		return 0, lang.Errorf("%q is not a number of milliseconds between %d and %d", s, -int64(MaxTime), int64(MaxTime))
	}
	return Millis(n), nil
}
