package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// tourWorld is the world of the first minute, and tourFix the lock that answers its lock. Who
// is refused asks again after the lease has ended, and before the other's work has.
const (
	tourWorld = "strategy=set-del clients=A,B ttl=5s work=7s wait=1m poll=6s scripts=known"
	tourFix   = "set-lua"
)

// A tourPage is the first minute: the learner decides who goes on, breaks a lock that
// tutorials print, is asked what its release deletes, and sees the same turns with the lock
// that answers it. The words follow from the run, in whatever order the turns come.
type tourPage struct {
	*gamePage
	turns  []string            // who went on; "" is time
	now    *scenarios.Position // after them
	given  string              // the answer to the question before the last turn; "" for none
	truth  string              // the right one
	broken *lesson.Run         // with the lock that breaks, where the turns are played with the other one
}

func newTourPage(s *shared) *tourPage {
	p := &tourPage{gamePage: &gamePage{viewer: viewer{failing: failing{shared: s}}, game: &game{}}}
	p.host = p
	return p
}

func (p *tourPage) opened() act { return p.play() }

// taken saves that the lock was broken, or the page left: until then it starts by itself.
func (p *tourPage) taken() act { return p.note(progress.Progress{Tour: true}) }

// play plays all turns from the beginning.
func (p *tourPage) play() act {
	p.wanted = &node{}
	config, err := history.ParseConfig(tourWorld)
	if p.broken != nil {
		config.Strategy = tourFix
	}
	turns := slices.Clone(p.turns)
	return begin(func(ctx context.Context) act {
		now, failed := scenarios.Play(ctx, config, turns)
		return func(s *Shell) Cmd {
			if p.wanted, p.failed = nil, failed; err == nil && failed == nil {
				p.now, p.run = now, lesson.Of(now.Result)
				p.run.Rows[0].Text = lang.Quote(fmt.Sprintf("%s = %d", config.Resource, config.Stock))
				p.player = newPlayer(len(p.run.Rows), len(p.run.Rows)-1)
				if p.has(history.MutualExclusion) && !p.progress.Tour {
					return s.do(p.taken())
				}
			}
			return nil
		}
	})
}

// turn lets somebody go on, or time pass; given is the answer to what is asked about it, if it
// was answered.
func (p *tourPage) turn(who, given string) func() act {
	return func() act {
		p.given, p.truth = "", choiceKey(p.deleted())
		if who != "" && who == p.asked() {
			p.given = cmp.Or(given, "u")
		}
		p.turns = append(p.turns, who)
		return p.play()
	}
}

// rewind leaves only the first turns.
func (p *tourPage) rewind(turns int) func() act {
	return func() act {
		p.broken, p.given, p.turns = nil, "", p.turns[:turns]
		return p.play()
	}
}

// deleted returns which choice is right: no client comes to its release before its lease ends.
func (p *tourPage) deleted() int { return 2 - min(1, int(p.snapshot().Owner)+1) }

// next returns what a client, or time, does next; false if nothing.
func (p *tourPage) next(who string) (m scenarios.Move, ok bool) {
	for _, m := range p.now.Moves {
		if m.Action.Client == who && (m.Action.Verb == history.Step || m.Action.Verb.IsTime()) && m.Why.None() {
			return m, true
		}
	}
	return m, false
}

// asked returns the client that is about to delete the key; "" if none is.
func (p *tourPage) asked() string {
	for _, c := range p.snapshot().Clients {
		if m, ok := p.next(c.Name); ok && m.Doing == "DEL" {
			return c.Name
		}
	}
	return ""
}

func (p *tourPage) has(invariant string) bool { return p.run.FirstOf(invariant) >= 0 }

// scene returns which sentence fits, and of whom it speaks.
func (p *tourPage) scene() (id string, with facts) {
	snap, config, asked := p.snapshot(), p.run.History.Config, p.asked()
	with = facts{From: int(config.TTL / history.Second), To: int(config.Work / history.Second), Of: snap.Believe, Story: tourFix}
	one := 0
	for i, c := range snap.Clients {
		_, can := p.next(c.Name)
		if works := c.Hold != lesson.NotHeld; c.Name == asked || asked == "" && works && (snap.Believe == 1 || can || p.now.Ahead[0].Client == c.Name) {
			one = i
		}
	}
	if p.given != "" { // it has sent its DEL
		one = slices.Index(config.Clients, p.turns[len(p.turns)-1])
	}
	other := snap.Clients[1-one]
	with.Said, with.What = snap.Clients[one].Name, other.Name
	next := other.Name
	if snap.Believe > 1 {
		next = with.Said
	}
	_, can := p.next(next)
	if can {
		with.N = 1
	}
	switch waits := other.Asks == lesson.Refused; {
	case p.broken != nil:
		id = "fixed"
	case asked != "":
		id = "asked"
	case snap.Believe < 2 && p.has(history.MutualExclusion):
		id = "broken"
	case snap.Believe > 1:
		id = "two"
	case snap.Believe == 1 && snap.Owner < 0 && (can || waits):
		id = "over"
	case snap.Believe == 1 && waits:
		id = "refused"
	case snap.Believe == 1 && can:
		id = "holds"
	case strings.Join(p.turns, "") == "":
		id = "start"
	default:
		id = "alone"
	}
	return "tour_" + id, with
}

// caption returns the sentence, the question, and what is to be said of its answer.
func (p *tourPage) caption() (c render.Caption) {
	id, with := p.scene()
	c.Text = p.Fill(id, with)
	switch {
	case p.given != "" && p.broken == nil:
		remark := p.Fill("tour_not_"+p.given, with)
		if p.given == p.truth {
			remark = p.Text("tour_right")
		}
		c.Text = p.Sentences(p.Sentences(remark, p.Fill("tour_why_"+p.truth, with)), c.Text)
	case id == asking:
		c.Question, c.Choices = p.Text("tour_question"), p.choices(p.whose(with))
	}
	return c
}

// asking is the scene of the question.
const asking = "tour_asked"

// whose returns the choices: the lock of the client itself, of the other, and of nobody.
func (p *tourPage) whose(with facts) []lesson.Choice { return p.choicesOf("tour_choice_", "123", with) }

// outcomes says what becomes with the other lock of that which the turns have broken; nothing
// before they are played.
func (p *tourPage) outcomes() (out render.Lines) {
	if p.broken == nil {
		return nil
	}
	for _, id := range []string{history.ForeignRelease, history.MutualExclusion} {
		i := p.broken.FirstOf(id)
		if i < 0 {
			continue
		}
		role, mark, came := render.Good, p.Glyphs.Right, "tour_saved_"
		if p.has(id) {
			role, mark, came = render.Alarm, p.Glyphs.Bad, "tour_still_"
		}
		out = append(out, role.Wrap(mark+" "+p.Gap(came+id, p.broken.Found[i].Other), p.width)...)
	}
	return out
}

// coming returns what time will bring.
func (p *tourPage) coming() (list []render.Due) {
	for _, d := range p.now.Ahead {
		id, who := "tour_ends", d.Client
		if i := slices.Index(p.run.History.Config.Clients, d.Client); i >= 0 {
			if id = "tour_asks"; p.snapshot().Clients[i].Hold != lesson.NotHeld {
				id = "tour_done"
			}
		} else {
			who = p.run.Nodes[0]
		}
		list = append(list, render.Due{At: d.At, Lane: who, Text: p.Gap(id, d.Client)})
	}
	return list
}

// shows reports whether the source means something yet.
func (p *tourPage) shows() bool { return p.revealed() || p.asked() != "" }

func (p *tourPage) title() (left, right string) { return "Lockstep", p.Text("tour") }

func (p *tourPage) status() (left, right string) {
	if p.now == nil {
		return p.trouble(false), ""
	}
	return p.in(p.now.Consequence), ""
}

func (p *tourPage) settle() act { return nil }

// revealed hides the remark in the source until the question is answered.
func (p *tourPage) revealed() bool { return p.broken != nil || p.given != "" }

func (p *tourPage) says() string {
	if p.run == nil {
		return ""
	}
	c := p.caption()
	return strings.Join([]string{c.Text, p.happened(), c.Question, c.Choices}, " ")
}

func (p *tourPage) keys() []key {
	if p.run == nil || p.wanted != nil {
		return nil
	}
	undo := undoKey.to(p.rewind(len(p.turns) - 1)).when(len(p.turns) > 0)
	onward := onwardKey.act(nil).when(false, "why_turns")
	switch id, with := p.scene(); {
	case id == "tour_fixed":
		return []key{onwardKey.to(func() act { return instead(p.chooser()) }), undo}
	case id == asking && p.talk == nil:
		return append(answering(p.whose(with), func(given string) act { return p.turn(with.Said, given)() }), undo)
	case id == "tour_broken":
		onward = onwardKey.to(func() act { p.broken = p.run; return p.play() })
	case id == "tour_alone":
		onward = onwardKey.says("anew").to(p.rewind(0))
	}
	keys := []key{onward}
	for _, who := range []string{"A", "B", ""} {
		_, can := p.next(who)
		keys = append(keys, keyOf("let"+who).to(p.turn(who, "")).when(can, "why_waits"))
	}
	return append(keys, undo)
}

func (p *tourPage) body(w, h int) render.Lines {
	if p.run == nil {
		return p.show(p.failure(), h)
	}
	out := append(append(p.caption().Draw(w, h/2), p.outcomes()...), nil)
	ahead := p.Ahead(p.picture.of(p.run), p.coming(), w)
	var source render.Lines
	if p.shows() {
		source = p.headed(sourcePane, w, max(litLines+1, h/3))
		ahead = nil
	}
	room := h - len(out) - len(ahead) - len(source)
	lanes := p.Lanes(p.picture.of(p.run), render.Cursor{At: p.player.at, Told: true}, w, min(room, len(p.run.Rows)+4))
	out = append(append(out, lanes...), ahead...)
	return append(out.Block(w, h-len(source)), source...)
}

// sections returns the sentence, the question, the run with what is ahead, and the source.
func (p *tourPage) sections() []Section {
	if p.run == nil { // soon; the status says why not
		return []Section{}
	}
	c, out := p.caption(), []Section{p.stepsSection(), {Kind: AboutSection}}
	for _, due := range p.coming() {
		out[1].Lines = append(out[1].Lines, render.Faint.Line(p.Pair(due.At.String(), due.Text)))
	}
	if p.shows() {
		out = append(out, p.paneSection(sourcePane))
	}
	if id, with := p.scene(); id == asking {
		out = append(out, p.askSection(&c, lesson.Question{Ask: c.Question, Choices: p.whose(with)}, Asked{ID: fmt.Sprint(p.turns), Right: p.deleted()}))
	}
	return append([]Section{{Kind: ProseSection, Lines: append(c.Draw(p.width, p.height), p.outcomes()...)}}, out...)
}
