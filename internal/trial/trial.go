// Package trial tries a lock that is not in the catalogue under every hazard. A
// Plan says what to try and what the lock's contract allows, a Trial tries it, and
// a Report holds the result for one hazard.
//
// A Suite is the locks that the tests of a Go package try with locktest.Check, so
// that a program other than go test can use them as it uses the locks of the
// catalogue. It compiles the tests into a temporary folder, asks them for their
// locks, and runs each lock in a process of its own; process.go is the protocol.
package trial

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
)

// A Trial tries a lock. Close it when done.
type Trial struct {
	Plan Plan
	// Kept is the folder of saved counterexamples, which are replayed first; ""
	// for none.
	Kept string
	Host
	// Progress returns what is called with the progress of the search under a hazard; it can be nil.
	Progress func(hazard string) func(explore.Progress)
	// First are hazards of which each has a small part of the time before any has more: the first
	// Try tries all of them.
	First []explore.Hazard
	// Book is the language of its reports.
	Book *prose.Book
	// Cache has the verdicts on this lock from before; it can be nil.
	Cache *cache.Verdicts
	// Ready, if not nil, is called before the lock is explored, and once. Its error
	// is Unready's.
	Ready func(context.Context) error
	// Unready is why the lock cannot be explored at all, if a hazard was tried that had
	// to be.
	Unready error
	// Until is the deadline.
	Until time.Time

	began time.Time // as the store says when an answer was kept
	lock  explore.Lock
	row   *explore.Row
	ctx   context.Context // New's
	// within ends at Until, and with it what the lock's code does.
	within context.Context
	stop   func()
	left   int                // hazards
	soon   time.Time          // the end of the first part of the time; zero after it
	early  map[string]*Report // of First, by hazard; nil before
	cut    int                // how many of these time had cut when they were tried again
	kept   []func()           // each removes an answer from the cache

	// known is the first hazard under which an invariant is violated without a fault.
	known  map[string]string
	always string // what it has once contention was tried

	refused []string // hazards under which the code was refused
	decided bool     // the code was not refused under some hazard
}

// A Host is a process in which a lock runs.
type Host interface {
	// Sockets returns an error if the process has a network connection.
	Sockets() error
	// Traits returns what probes have shown of the lock.
	Traits() program.Traits
	// Adapted reports whether the lock's code has been adapted; see the package guest.
	Adapted() bool
	// Adapt adapts it. An error says why it cannot.
	Adapt() error
}

// New starts a trial of a lock and makes it known to stories and tokens by id.
// limit bounds its real time.
func New(ctx context.Context, plan Plan, limit time.Duration, id string, subject program.Subject) *Trial {
	subject.World = plan.World
	scenarios.Register(id, subject)
	lock := explore.Lock{ID: id, Subject: subject}
	until := time.Now().Add(limit)
	t := &Trial{Plan: plan, lock: lock, ctx: ctx, began: time.Now(), Until: until, left: len(plan.Under()), Book: prose.Load("en"), known: map[string]string{}}
	t.begin()
	return t
}

// Shares reports whether it cannot be explored since its runs share something, as each hazard says.
func (t *Trial) Shares() bool { return errors.Is(t.Unready, remote.ErrShares) }

// begin begins with nothing learned.
func (t *Trial) begin() {
	t.within, t.stop = context.WithDeadline(t.ctx, t.Until)
	t.row = explore.NewRow(t.within, t.lock)
}

// Close ends what runs of the lock there are.
func (t *Trial) Close() {
	t.stop()
	t.row.Close()
}

// greed limits a hazard to 1/greed of the remaining time, while that many are
// left. Most take far less.
const greed = 2

// firstly is which part of the time all hazards of First have together before any has more.
const firstly = 6

// maxRefused is under how many hazards code may be refused, before the others are left
// out: to find it stuck again takes seconds each time, and says nothing new.
const maxRefused = 2

// Try tries the lock under a hazard, within a part of the remaining time. If its code
// was refused before anything was decided, or twice, it is not run again.
func (t *Trial) Try(ctx context.Context, h explore.Hazard) *Report {
	if first := t.First; len(first) > 0 && t.early == nil {
		t.soon, t.left, t.cut, t.early = time.Now().Add(time.Until(t.Until)/firstly), len(first), len(first)+1, map[string]*Report{}
		for _, h := range first {
			t.early[h.ID] = t.try(ctx, h)
		}
		t.soon = time.Time{}
	}
	r := t.early[h.ID]
	if r == nil {
		return t.try(ctx, h)
	}
	for r.cut() && t.again(ctx) {
		r = t.early[h.ID]
	}
	return r
}

// again tries those of First that time has cut, each for its part of the rest, if they are fewer
// than before.
func (t *Trial) again(ctx context.Context) bool {
	cut := slices.DeleteFunc(slices.Clone(t.First), func(h explore.Hazard) bool { return !t.early[h.ID].cut() })
	if len(cut) >= t.cut {
		return false
	}
	t.cut, t.left = len(cut), len(cut)
	for _, h := range cut {
		t.early[h.ID] = t.early[h.ID].or(t.try(ctx, h))
	}
	return true
}

// or returns the report of a second search, or that of the first, which time has cut, where the
// rest of the time was shorter.
func (r *Report) or(again *Report) *Report {
	if r.Verdict == explore.Violated && again.Verdict != explore.Violated || (again.cut() || again.Skipped) && again.Transitions < r.Transitions {
		return r
	}
	return again
}

// cut reports whether the limit on time alone has ended the search, which may have gone on past
// a violation.
func (r *Report) cut() bool {
	return r.Explored.Limit == explore.RealTime && r.Explored.Trouble.None()
}

func (t *Trial) try(ctx context.Context, h explore.Hazard) *Report {
	if n := len(t.refused); n > 0 && (!t.decided || n >= maxRefused) {
		return t.Skip(h, lang.New("not explored: see %v", lang.Names(t.refused)))
	}
	if t.within.Err() != nil || !t.soon.IsZero() && time.Until(t.soon) <= 0 {
		return t.undecided(explore.Report{Hazard: h.ID, Limit: explore.RealTime})
	}
	begun, all := time.Now(), ctx
	t.left--
	ctx, cancel := t.share(all)
	defer cancel()
	r, err := t.played(ctx, h)
	if r == nil && err == nil {
		adapted := t.Adapted()
		r, err = t.judged(ctx, h)
		if t.adapts(adapted, r, err) {
			cancel()
			t.renew(time.Since(begun))
			ctx, cancel = t.share(all)
			defer cancel()
			r, err = t.judged(ctx, h)
		}
		t.note(all, h, r, err)
	}
	if h.ID == Contention {
		t.always = fmt.Sprint(t.known)
	}
	if err == nil {
		err = t.Sockets()
	}
	if err != nil {
		r = t.undecided(explore.Report{Hazard: h.ID, Trouble: lang.New("%v", err)})
	}
	r.Took = time.Since(begun)
	if r.Verdict == explore.Inconclusive && r.Sampled > 0 {
		r.Accepted = t.Plan.AcceptSampled
	}
	return r
}

// Skip is the report on a hazard that is left out.
func (t *Trial) Skip(h explore.Hazard, why lang.Message) *Report {
	r := t.undecided(explore.Report{Hazard: h.ID, Trouble: why})
	r.Skipped = true
	return r
}

// undecided is the report on a hazard that was not explored.
func (t *Trial) undecided(why explore.Report) *Report {
	verdict, reason := why.Verdict()
	return &Report{Hazard: why.Hazard, Verdict: verdict, Reason: t.in(reason), Explored: why}
}

// share limits a hazard to its part of the remaining time.
func (t *Trial) share(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case !t.soon.IsZero():
		return context.WithTimeout(ctx, part(time.Until(t.soon), t.left, 2)) // most take less
	case len(t.early) > 0:
		return context.WithTimeout(ctx, part(time.Until(t.Until), t.left, 1)) // these do not
	}
	return context.WithTimeout(ctx, time.Until(t.Until)/time.Duration(min(greed, max(1, t.left+1))))
}

// part is a hazard's part of a time, at most so many times as much as each of the others has.
func part(of time.Duration, others, times int) time.Duration {
	return of * time.Duration(times) / time.Duration(max(0, others)+times)
}

// adapts adapts the lock's code if it is not deterministic. It reports whether the code
// has been adapted since before, for want of a verdict.
func (t *Trial) adapts(before bool, r *Report, err error) bool {
	switch {
	case before || err == nil && r.Verdict != explore.Inconclusive:
		return false
	case errors.Is(err, program.ErrNondeterministic) && !t.Adapted():
		_ = t.Adapt() // err says what is wrong
	}
	return t.Adapted()
}

// renew forgets what was learned, and gives the lost time back.
func (t *Trial) renew(lost time.Duration) {
	t.Close()
	t.Until = t.Until.Add(lost)
	t.later(lost)
	t.begin()
}

// later moves the end of the first part of the time.
func (t *Trial) later(by time.Duration) {
	if !t.soon.IsZero() {
		t.soon = t.soon.Add(by)
	}
}

// note notes whether a hazard was decided, or the code refused whatever the hazard.
func (t *Trial) note(ctx context.Context, h explore.Hazard, r *Report, err error) {
	var lacks *sim.UnsupportedError
	switch {
	case errors.As(err, &lacks): // whatever else was decided
		t.refused, t.decided = append(t.refused, h.ID), false
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, remote.ErrPanicked),
		err == nil && r.cut() && r.Transitions == 0: // the code is not refused, or not whatever the hazard
	case err != nil, r.Verdict == explore.Inconclusive && !r.Explored.Trouble.None() && r.Explored.Limit == explore.RealTime:
		t.refused = append(t.refused, h.ID)
	default:
		t.decided = true
	}
}

// verdictOn is the verdict on what the contract does not allow. An allowed
// violation neither fails the lock nor hides that a limit ended the search.
func verdictOn(r explore.Report) (explore.Verdict, lang.Message) {
	r.Found = slices.DeleteFunc(slices.Clone(r.Found), func(f explore.Found) bool { return f.Allowed != "" })
	return r.Verdict()
}

// setsBack reports whether a fault sets a client's clock back, which is
// impossible for the clock of timers.
func setsBack(a history.Action) bool { return a.Verb == history.Jump && a.By < 0 && a.Node == "" }

// assumptions are those of an exploration in the usual world, and whether it excluded clocks
// that are set back.
func (t *Trial) assumptions(a *cache.Answer, usual history.Config, forward bool) lang.List {
	proven := a.Report
	usual.LockKey = proven.Config.LockKey
	proven.Config = usual // judged adds what differed
	all := proven.Assuming(world(proven.Config))
	if forward {
		all = all.And(lang.New("no client's clock is set back"))
	}
	if a.Draws {
		all = all.And(lang.New("random values that cannot be repeated count only as names"))
	}
	if a.Adapted {
		all = all.And(lang.New("in the module under test each client has package variables of its own, and who has waited longest for a mutex gets it next"))
	}
	return all
}

// tellTime bounds the explanation of a counterexample, even after the deadline.
const tellTime = 7 * time.Second

// describeFound replays a counterexample and describes it. It returns nil if that is what comes of
// another one of the same run, whose transcript shows it or what leads to it.
func (t *Trial) describeFound(r *explore.Report, f *explore.Found, same string) (*Found, error) {
	told := &Found{
		Invariant: f.Violation.Invariant, Faults: r.Faults(f), Steps: len(f.Schedule), Shortest: f.Shortest,
		Token: history.Token(r.Config, f.Schedule), Says: scenarios.VerdictIn(t.Book, f.Violation),
		Allowed: string(f.Allowed), Same: same,
	}
	if told.Allowed != "" {
		return told, nil // its details are not shown
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	run, err := scenarios.Replay(ctx, r.Config, f.Schedule)
	if err != nil {
		return told, lang.Errorf("%s: its schedule cannot be played again: %w; replay token %s", told.Invariant, err, told.Token)
	}
	at := slices.IndexFunc(run.Violations, func(v history.Violation) bool {
		return v.Invariant == told.Invariant && t.Plan.allowed(v, r.Hazard) == ""
	})
	if at < 0 {
		return told, lang.Errorf("%s: its schedule was played again and did not violate it; replay token %s", told.Invariant, told.Token)
	}
	v := run.Violations[at]
	if slices.ContainsFunc(run.Violations, func(w history.Violation) bool { return t.Plan.allowed(w, r.Hazard) == "" && comesOf(v, w) }) {
		return nil, nil
	}
	if same != "" {
		return told, nil
	}
	t.describe(ctx, told, run, v)
	switch events := run.History.Events[:v.Seq+1]; {
	case v.Invariant != history.PhantomHold || told.Faults > 0:
	case v.Other != "" && shared(events, v.Key):
		told.Why = append(told.Why, t.in(lang.New("%s and %s hold it at once without any fault: Check is for exclusive locks; if several may hold this one (a semaphore, the read side), it does not fit", v.Client, v.Other)))
	case v.Other == "" && slices.ContainsFunc(events, func(e history.Event) bool {
		return slices.ContainsFunc(e.Changes, func(ch history.Change) bool { return ch.Key == v.Key && ch.After != nil && ch.After.Type == "list" })
	}):
		told.Why = append(told.Why, t.in(lang.New("%s is a list, and the client that pops its last element counts as its holder: a queue is tried where it stands beside a key that says who has the lock", v.Key)))
	}
	return told, nil
}

// comesOf reports whether a violation is what another of its run comes to: a lock that was
// removed is no longer held, and then two are inside, or there is damage.
func comesOf(v, w history.Violation) bool {
	switch history.HarmOf(v.Invariant) {
	case history.Damage, history.Inside:
		return w.Seq <= v.Seq && history.HarmOf(w.Invariant) == history.Breaks
	}
	return v.Invariant == history.PhantomHold && w.Invariant != history.PhantomHold && w.Seq == v.Seq
}

// shared reports whether a key kept what it had and became more: a higher number, or one more member.
func shared(events []history.Event, key string) bool {
	for _, e := range events {
		for _, c := range e.Changes {
			if c.Key != key || c.Before == nil || c.After == nil {
				continue
			}
			was, is := c.Before.Value, c.After.Value
			if n, err := strconv.Atoi(was); err == nil && is == strconv.Itoa(n+1) || c.After.Type != "string" && strings.Count(is, " ") > strings.Count(was, " ") {
				return true
			}
		}
	}
	return false
}

// describe adds the transcript and the explanation of a violation.
func (t *Trial) describe(ctx context.Context, f *Found, run *scenarios.Result, v history.Violation) {
	f.Says = scenarios.VerdictIn(t.Book, v)
	f.Transcript, f.Source = t.transcript(run.History), source(run.History, v)
	f.Why = t.why(ctx, run.History, v)
}

// source is the line of code that led to a violation: of the last command until then of
// the client that violated, or of any.
func source(h history.History, v history.Violation) (line string) {
	for _, e := range h.Events[:min(v.Seq+1, len(h.Events))] {
		if e.Source != "" && (e.Client == v.Client || v.Client == "" || line == "") {
			line = e.Source
		}
	}
	return line
}

// why is the explanation of a violation.
func (t *Trial) why(ctx context.Context, h history.History, v history.Violation) (lines []string) {
	a, _ := scenarios.Explain(ctx, h, v)
	for _, r := range lesson.Explain(t.Book, a, nil).Only(lesson.Happened, lesson.Why, lesson.Code, lesson.Saved) {
		lines = append(lines, t.Book.Pair(r.Label, r.Text))
	}
	return lines
}

// in translates into the language of the reports.
func (t *Trial) in(said any) string { return lang.In(t.Book.Language(), said) }

// LockID is the id of a test's nth lock: the test's name as far as tokens allow.
// It is unique, since tokens name locks by it.
func LockID(test string, nth int) string {
	exact := len(test) <= maxID
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r != '/' && r != '.':
			exact = false
		}
		return '-'
	}, test)
	if !exact {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(test)) // writing to a hash cannot fail
		id = fmt.Sprintf("%s-%08x", id[:min(len(id), maxID)], sum.Sum32())
	}
	if nth > 1 {
		id += "-" + strconv.Itoa(nth)
	}
	return id
}

// maxID bounds, in bytes, the part of a test's name in its lock's id.
const maxID = 40
