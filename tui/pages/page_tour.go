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
	tourWorld = "strategy=set-del clients=A,B ttl=5s work=7s wait=1m poll=6s"
	tourFix   = "set-lua"
)

// A tourPage is the first minute: the learner decides who goes on, breaks a lock that
// tutorials print, is asked what its release deletes, and sees the same turns with the lock
// that answers it. The words follow from the run, in whatever order the turns come.
type tourPage struct {
	*gamePage
	turns []string            // who went on; "" is time
	now   *scenarios.Position // after them
	given string              // the answer to the question before the last turn; "" for none
	fixed bool                // the turns are played with the other lock
}

func newTourPage(s *shared) *tourPage {
	p := &tourPage{gamePage: &gamePage{viewer: viewer{failing: failing{shared: s}}, game: &game{}}}
	p.host = p
	return p
}

// opened saves that the tour was taken: it starts by itself only once.
func (p *tourPage) opened() act { return all(p.note(progress.Progress{Tour: true}), p.play()) }

// play plays all turns from the beginning.
func (p *tourPage) play() act {
	p.wanted = &node{}
	config, err := history.ParseConfig(tourWorld)
	if p.fixed {
		config.Strategy = tourFix
	}
	turns := slices.Clone(p.turns)
	return begin(func(ctx context.Context) act {
		now, failed := scenarios.Play(ctx, config, turns)
		return func(*Shell) Cmd {
			if p.wanted, p.failed = nil, failed; err == nil && failed == nil {
				p.now, p.run = now, lesson.Of(now.Result)
				p.run.Rows[0].Text = lang.Quote(fmt.Sprintf("%s = %d", config.Resource, config.Stock))
				p.player = newPlayer(len(p.run.Rows), len(p.run.Rows)-1)
			}
			return nil
		}
	})
}

// turn lets somebody go on, or time pass; given is the answer to what is asked about it.
func (p *tourPage) turn(who, given string) func() act {
	return func() act {
		p.turns, p.given = append(p.turns, who), given
		return p.play()
	}
}

// undo takes the last turn back.
func (p *tourPage) undo() act {
	p.fixed, p.given, p.turns = false, "", p.turns[:len(p.turns)-1]
	return p.play()
}

// next returns what a client, or time, does next; false if nothing.
func (p *tourPage) next(who string) (m scenarios.Move, ok bool) {
	i := slices.IndexFunc(p.now.Moves, func(m scenarios.Move) bool {
		return m.Action.Client == who && (m.Action.Verb == history.Step || m.Action.Verb.IsTime()) && m.Why.None()
	})
	if i < 0 {
		return m, false
	}
	return p.now.Moves[i], true
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
	with = facts{From: int(config.TTL / history.Second), To: int(config.Work / history.Second), Story: tourFix}
	one := 0
	for i, c := range snap.Clients {
		_, can := p.next(c.Name)
		if works := c.Hold != lesson.NotHeld; c.Name == asked || asked == "" && works && (snap.Believe == 1 || can || p.now.Ahead[0].Client == c.Name) {
			one = i
		}
	}
	broken := p.has(history.ForeignRelease)
	if broken || p.fixed { // it is done, and the other is at work
		one = 1 - one
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
	for _, scene := range []struct {
		id   string
		fits bool
	}{
		{"fixed", p.fixed},
		{"asked", asked != ""},
		{"foreign", broken},
		{"two", snap.Believe > 1},
		{"over", snap.Believe == 1 && snap.Owner < 0 && (can || other.Asks == lesson.Refused)},
		{"refused", snap.Believe == 1 && other.Asks == lesson.Refused},
		{"holds", snap.Believe == 1 && can},
		{"start", len(p.turns) == 0},
		{"idle", strings.Join(p.turns, "") == ""},
		{"missed", p.has(history.MutualExclusion)},
		{"alone", true},
	} {
		if scene.fits {
			return "tour_" + scene.id, with
		}
	}
	return "", with
}

// caption returns the sentence, the question, and what is to be said of its answer.
func (p *tourPage) caption() (c render.Caption) {
	id, with := p.scene()
	c.Text = p.Fill(id, with)
	switch truth := "3"; {
	case p.given != "" && !p.fixed:
		if p.has(history.ForeignRelease) {
			truth = "2"
		}
		remark := p.Fill("tour_not_"+p.given, with)
		if p.given == truth {
			remark = p.Text("tour_right")
		}
		c.Text = p.Sentences(p.Sentences(remark, p.Fill("tour_why_"+truth, with)), c.Text)
	case id == asking:
		c.Question, c.Choices = p.Text("tour_question"), p.choices(p.whose(with))
	}
	return c
}

// asking is the scene of the question.
const asking = "tour_asked"

// whose returns the choices: the lock of the client itself, of the other, and of nobody.
func (p *tourPage) whose(with facts) (list []lesson.Choice) {
	for _, n := range []string{"1", "2", "3"} {
		list = append(list, lesson.Choice{Answer: n, Label: p.Fill("tour_choice_"+n, with)})
	}
	return list
}

// outcomes says what the same turns come to with the other lock; nothing before they are
// played.
func (p *tourPage) outcomes() (out render.Lines) {
	_, with := p.scene()
	for _, id := range []string{history.ForeignRelease, history.MutualExclusion} {
		switch {
		case !p.fixed:
		case p.has(id):
			out = append(out, render.Alarm.Wrap(p.Glyphs.Bad+" "+p.Fill("tour_still_"+id, with), p.width)...)
		default:
			out = append(out, render.Good.Wrap(p.Glyphs.Right+" "+p.Fill("tour_saved_"+id, with), p.width)...)
		}
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
func (p *tourPage) revealed() bool { return p.fixed || p.given != "" }

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
	undo := undoKey.to(p.undo).when(len(p.turns) > 0)
	id, with := p.scene()
	switch id {
	case "tour_fixed":
		return []key{onwardKey.to(func() act { return instead(p.chooser()) }), undo}
	case "tour_foreign":
		return []key{onwardKey.to(func() act { p.fixed = true; return p.play() }), undo}
	case asking:
		return append(answering(p.whose(with), func(given string) act { return p.turn(with.Said, cmp.Or(given, "u"))() }), undo)
	}
	var keys []key
	for _, k := range []struct{ name, who string }{{"letA", "A"}, {"letB", "B"}, {"letTime", ""}} {
		_, can := p.next(k.who)
		keys = append(keys, keyOf(k.name).to(p.turn(k.who, "")).when(can, "why_waits"))
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
	if p.run == nil {
		return nil
	}
	out := []Section{{Kind: ProseSection, Lines: append(p.caption().Draw(p.width, p.height), p.outcomes()...)}}
	steps := p.stepsSection()
	for _, due := range p.coming() {
		steps.Lines = append(steps.Lines, render.Faint.Line(p.Pair(due.At.String(), due.Text)))
	}
	if out = append(out, steps); p.shows() {
		out = append(out, p.paneSection(sourcePane))
	}
	return out
}
