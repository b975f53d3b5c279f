package sim

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// A fakeWorld is a State with parties that run no code: clients do what a list
// says, and nodes answer OK. It writes down all that happens.
type fakeWorld struct {
	State
	Parties
	programs []*fakeProgram
	nodes    []*fakeNode
	calls    int
	log      []string
}

const ms = time.Millisecond

// worldOf has clients A, B ... and nodes r1, r2 ... on a lease of 100 ms and with a timeout
// of 10 ms. Of "2 r1.k=5: SET k, now / now | hear 7" there are two nodes, of which the first
// has a key until 5, and two clients, of which the first has two strands; each takes its turns.
func worldOf(text string) *fakeWorld {
	f := &fakeWorld{}
	f.Config = history.Default()
	f.Config.TTL, f.Config.Timeout = 100, 10
	f.Store, f.Emit, f.Call = InMemory{}, f.emit, func() int { f.calls++; return f.calls }
	head, clients, _ := strings.Cut(text, ": ")
	options := strings.Fields(head)
	for i, text := range strings.Split(clients, " | ") {
		p := &fakeProgram{name: string(rune('A' + i)), world: f}
		for strand := range strings.SplitSeq(text, " / ") {
			var turns []turn
			for text := range strings.SplitSeq(strand, ", ") {
				turns = append(turns, turnOf(strings.Fields(text)))
			}
			p.strands = append(p.strands, turns)
		}
		f.programs = append(f.programs, p)
		f.Names = append(f.Names, p.name)
		f.Programs = append(f.Programs, p)
		f.Clients = append(f.Clients, ClientState{Strands: make([]Strand, len(p.strands))})
	}
	for i := range int(text[0] - '0') {
		n := &fakeNode{name: history.NodeName(i), world: f, expires: map[string]history.Millis{}}
		f.nodes = append(f.nodes, n)
		f.Servers = append(f.Servers, n)
		f.Nodes = append(f.Nodes, 0)
	}
	for _, option := range options[1:] {
		name, value, _ := strings.Cut(option, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "behind": // a replica of the second node may have missed so many writes
			f.nodes[1].behind = n
		case "zookeeper":
			f.Config.LockKey = "/lock"
		case "broken": // a connection that ended with the process of the first node
			f.nodes[0].broken = []string{value}
		case "unnumbered": // commands
			f.Call = nil
		case "keep-time": // programs run by clocks of their own
			f.KeepTime = true
		case "node-errs":
			for _, n := range f.nodes {
				n.err = errFake
			}
		case "code-errs":
			f.programs[0].err = errFake
		default:
			f.nodes[name[1]-'1'].expires[name[3:]] = history.Millis(n)
		}
	}
	return f
}

// turnOf reads a turn. Unless it is something else, it sends commands to the first node over the
// connection 0; "r2/3 SET k" does so to the second over the connection 3.
func turnOf(w []string) turn {
	number := func(i int) int { n, _ := strconv.Atoi(w[i]); return n }
	now := Want{Saw: SawNow, Label: string(history.Read)}
	switch w[0] {
	case "now":
		return turn{Want: now}
	case "fresh":
		return turn{Want: Want{Fresh: true, Label: string(history.Start)}}
	case "stay":
		return turn{Want: Want{Stays: true, Label: string(history.Wait)}}
	case "sleep":
		return turn{Want: Want{Sleeps: true, For: time.Duration(number(1)) * ms, Label: string(history.Sleep)}}
	case "until":
		return turn{Want: Want{Sleeps: true, Label: string(history.Sleep), Wakes: epoch.Add(time.Duration(number(1)) * ms)}}
	case "hear": // a message from the first node
		return turn{Want: Want{Saw: SawPush, Label: string(history.Receive), Conn: number(1)}}
	case "read", "write":
		return turn{Want: Want{Saw: SawAccess, Access: Access{Resource: "stock", Op: w[0], Value: int64(number(1)), Fence: int64(number(2))}}}
	case "close": // a connection to the first node, on the way
		now.Closed = []Link{{0, number(1)}}
		return turn{Want: now}
	case "begin": // a strand
		return turn{Want: now, starts: []turn{turnOf([]string{"SET", "k"}), {Want: now}}}
	case "panic":
		return turn{Want: now, events: []history.Event{{Kind: history.Fail, Text: "oh"}, {Kind: history.Panic, Text: "no"}}}
	case "return":
		return turn{Want: now, events: []history.Event{{Kind: history.Return, Call: 2, Outcome: history.Acquired}}}
	case "forever": // the node holds it
		t := turnOf(w[1:])
		t.Blocks = Forever
		return t
	case "renew": // it tells the node the last stamp that was read
		t := turnOf(w[1:])
		for i := range t.Units {
			t.Units[i].Renews = true
		}
		return t
	}
	send := Want{Saw: SawReply, Label: "send"}
	if _, err := fmt.Sscanf(w[0], "r%d/%d", &send.Node, &send.Conn); err == nil {
		send.Node--
		w = w[1:]
	}
	for cmd := range strings.SplitSeq(strings.Join(w, " "), " + ") {
		cmds := [][]string{strings.Fields(cmd)}
		send.Units = append(send.Units, Unit{Cmds: cmds, Shown: cmds})
	}
	return turn{Want: send}
}

func (f *fakeWorld) note(format string, args ...any) {
	f.log = append(f.log, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (f *fakeWorld) emit(e history.Event) {
	who := e.Node
	if e.Client != "" {
		who = history.StrandName(e.Client, e.Strand)
	}
	text := fmt.Sprintf("%s %s", who, e.Kind)
	if e.Call > 0 {
		text += fmt.Sprintf(" %d", e.Call)
	}
	if e.During > 0 {
		text += fmt.Sprintf(" during %d", e.During)
	}
	for _, word := range []string{e.Op, e.Text, e.Outcome} {
		if word != "" {
			text += " " + word
		}
	}
	if e.Client != "" && e.Node != "" {
		text += " " + e.Node
	}
	for _, cmd := range e.Cmds {
		text += " " + strings.Join(cmd, " ")
	}
	if e.Source != "" {
		text += " at " + e.Source
	}
	if e.Reply != "" {
		text += ": " + e.Reply
	}
	if e.By != 0 {
		text += fmt.Sprintf(" by %d", e.By)
	}
	if e.Kind == history.Resource {
		text += fmt.Sprintf(" value %d version %d based %d fence %d", e.Value, e.Version, e.Based, e.Fence)
	}
	for _, ch := range e.Changes {
		text += " changes " + ch.Key
	}
	f.note("%s", text)
}

// play performs actions, of which it notes those that are refused. "?" notes how
// far everybody is.
func (f *fakeWorld) play(t *testing.T, actions string) {
	t.Helper()
	for word := range strings.FieldsSeq(actions) {
		if word == "?" {
			f.look()
			continue
		}
		a := testkit.Must(history.ParseAction(word))(t)
		if why := f.Refusal(a, &f.Parties); !why.No() {
			f.note("%s: no, %v", word, why)
			continue
		}
		f.note("%s:", word)
		if err := f.Step(a, &f.Parties); err != nil {
			f.note("error: %v", err)
		}
	}
}

func (f *fakeWorld) look() {
	text := fmt.Sprintf("? at %d", f.Now)
	for i, c := range f.Clients {
		text += ", " + f.Names[i]
		if c.Dead {
			text += " dead"
		}
		if c.Done {
			text += " done"
		}
		if c.Hung {
			text += " hung"
		}
		if c.Cut != 0 {
			text += fmt.Sprintf(" cut %b", c.Cut)
		}
		for _, s := range c.Strands {
			text += " " + [...]string{"idle", "on-the-way", "answered", "lost", "declined", "cut-short", "held"}[s.Phase]
			if s.Until != 0 {
				text += fmt.Sprintf(" until %d", s.Until)
			}
			if s.Life != 0 {
				text += fmt.Sprintf(" life %d", s.Life)
			}
		}
	}
	for _, a := range f.Abandoned {
		text += fmt.Sprintf(", abandoned %s/%d %d", f.Names[a.Client], a.Strand, a.Call)
	}
	f.note("%s", text)
}

var update = flag.Bool("update", false, "write the transcripts of this package anew")

// A transcript holds what happens against a file: two equal signs and a name,
// then all that happened.
type transcript struct {
	path string
	want map[string]string
	got  strings.Builder
}

func openTranscript(t *testing.T, path string) *transcript {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	f := &transcript{path: path, want: map[string]string{}}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		f.want[name] = strings.TrimSpace(body)
	}
	t.Cleanup(func() {
		if *update {
			if err := os.WriteFile(path, []byte(f.got.String()), 0o644); err != nil {
				t.Error(err)
			}
		}
	})
	return f
}

// hold fails unless all that happened is what is wanted.
func (f *transcript) hold(t *testing.T, name string, log []string) {
	t.Helper()
	got := strings.Join(log, "\n")
	fmt.Fprintf(&f.got, "== %s\n%s\n", name, got)
	if want := f.want[name]; got != want && !*update {
		t.Errorf("%s:\n%s\n\nnot what %s has:\n%s", name, got, f.path, want)
	}
}

// A turn is what a strand is about to do, and what its code does before it comes
// to it.
type turn struct {
	Want
	events []history.Event
	starts []turn // a strand that begins then
}

// A fakeProgram is a client whose strands each take their turns.
type fakeProgram struct {
	name    string
	world   *fakeWorld
	strands [][]turn
	err     error // of Observe
}

func (p *fakeProgram) Wants(Ref) []Want {
	wants := make([]Want, len(p.strands))
	for i, turns := range p.strands {
		if wants[i] = (Want{Ended: true}); len(turns) > 0 {
			wants[i] = turns[0].Want
		}
		if i > 0 {
			wants[i].Name = "task"
		}
	}
	return wants
}

func (p *fakeProgram) Observe(at Ref, strand int, o Observation) (Ref, []history.Event, error) {
	text := [...]string{"nothing", "now", "reply", "timeout", "refused", "reset", "access", "push"}[o.Kind]
	if !o.Shown.IsZero() {
		text += fmt.Sprint(" ", o.Shown.Sub(epoch))
	}
	if o.Kind == SawReply || o.Kind == SawPush {
		text += fmt.Sprintf(" %q", o.Reply)
	}
	if o.Kind == SawAccess {
		text += fmt.Sprintf(" %s %d", o.Access.Op, o.Access.Value)
	}
	p.world.note("%s sees %s", history.StrandName(p.name, strand), text)
	if p.err != nil {
		return 0, nil, p.err
	}
	p.strands[strand] = p.strands[strand][1:]
	var events []history.Event
	if len(p.strands[strand]) > 0 {
		next := p.strands[strand][0]
		events = next.events
		if next.starts != nil {
			p.strands = append(p.strands, next.starts)
		}
	}
	return at + 1, events, nil
}

func (p *fakeProgram) Die() { p.world.note("%s dies", p.name) }

// A fakeNode answers each command with its number. It holds HOLD, and sends the
// last word of TELL over the connection that is its first.
type fakeNode struct {
	name    string
	world   *fakeWorld
	health  Health
	behind  int
	expires map[string]history.Millis // the keys that are there, with the last moment at which they are; 0 for none
	conns   []string                  // that it knows
	broken  []string
	unread  map[string][]Message // by connection
	done    int
	err     error
}

func (n *fakeNode) View(Ref) View           { return n }
func (n *fakeNode) Condition() Health       { return n.health }
func (n *fakeNode) Missed() int             { return n.behind }
func (n *fakeNode) Has(key string) bool     { _, ok := n.expires[key]; return ok }
func (n *fakeNode) Broken(conn string) bool { return slices.Contains(n.broken, conn) }

func (n *fakeNode) Execute(at Ref, conn string, units []Unit, now history.Millis) (Ref, []Executed, error) {
	for _, u := range units {
		seen := ""
		if u.Seen != 0 {
			seen = fmt.Sprintf(", which has read stamp %d,", u.Seen)
		}
		n.world.note("%s executes %v for %s%s at %d", n.name, u.Cmds, conn, seen, now)
	}
	if n.err != nil {
		return 0, nil, n.err
	}
	if !slices.Contains(n.conns, conn) {
		n.conns = append(n.conns, conn)
	}
	var list []Executed
	for _, u := range units {
		n.done++
		x := Executed{Raw: fmt.Appendf(nil, ":%d\r\n", n.done), Reply: fmt.Sprint(n.done), Happened: Happened{Changes: []history.Change{{Key: fmt.Sprint("k", n.done)}}}}
		switch cmd := u.Cmds[0]; cmd[0] {
		case "STAMP":
			x.Stamp, _ = strconv.ParseInt(cmd[1], 10, 64)
		case "HOLD":
			x = Executed{Held: true}
		case "TELL":
			x.Sent = []Message{n.send(cmd[1], cmd[2])}
		}
		list = append(list, x)
	}
	return at + 1, list, nil
}

func (n *fakeNode) send(conn, text string) Message {
	msg := Message{Conn: conn, Raw: "+" + text + "\r\n", Text: text}
	if n.unread == nil {
		n.unread = map[string][]Message{}
	}
	n.unread[conn] = append(n.unread[conn], msg)
	return msg
}

func (n *fakeNode) Unread(conn string) (Message, bool) {
	if list := n.unread[conn]; len(list) > 0 {
		return list[0], true
	}
	return Message{}, false
}

func (n *fakeNode) Attend(at Ref, _ string, _ Attendance) Ref { return at }

func (n *fakeNode) Take(at Ref, conn string) Ref {
	n.unread[conn] = n.unread[conn][1:]
	return at + 1
}

func (n *fakeNode) NextExpiry() (next history.Millis, ok bool) {
	for _, at := range n.expires {
		if at > 0 && (!ok || at+1 < next) {
			next, ok = at+1, true
		}
	}
	return next, ok
}

func (n *fakeNode) Pass(at Ref, now history.Millis) (Ref, Happened, error) {
	if n.err != nil {
		return 0, Happened{}, n.err
	}
	var changes []history.Change
	for _, key := range slices.Sorted(maps.Keys(n.expires)) {
		if last := n.expires[key]; last > 0 && last < now {
			delete(n.expires, key)
			changes = append(changes, history.Change{Key: key})
		}
	}
	return at + 1, Happened{Changes: changes}, nil
}

func (n *fakeNode) Fault(at Ref, a history.Action, now history.Millis) (Ref, Happened, error) {
	if n.err != nil {
		return 0, Happened{}, n.err
	}
	switch a.Verb {
	case history.Restart:
		n.health.Life++
	case history.Down:
		n.health.Life++
		n.health.Down = true
	case history.Up:
		n.health.Down = false
	case history.Slow, history.Fast:
		n.health.Slow = a.Verb == history.Slow
	case history.Jump, history.Rate:
		n.health.Clock.Turn(now, a)
	case history.Flush:
		n.world.note("%s forgets its scripts", n.name)
	}
	return at + 1, Happened{Changes: []history.Change{{Key: "all"}}}, nil
}

func (n *fakeNode) Forget(at Ref, gone func(string) bool) Ref {
	n.conns = slices.DeleteFunc(n.conns, func(c string) bool {
		if gone(c) {
			n.world.note("%s forgets %s", n.name, c)
			delete(n.unread, c)
		}
		return gone(c)
	})
	return at + 1
}

var errFake = errors.New("it went wrong")
