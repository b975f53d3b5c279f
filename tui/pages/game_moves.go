package pages

import (
	"fmt"

	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

func (p *gamePage) moveLines() []render.Move {
	var out []render.Move
	for _, move := range p.game.at.position.Moves {
		line := render.Move{Group: p.Text(groupOf(move.Action)), Text: p.in(move.Why), Not: !move.Why.None()}
		if !line.Not {
			line.Text = p.moveText(move)
		}
		out = append(out, line)
	}
	if l := p.game.level; l != nil && l.Times > 0 {
		if _, times := l.Spent(p.game.at.schedule()); times == l.Times {
			out = append(out, render.Move{Group: p.Text("group_time"), Text: p.Count("time_used", times, l.Times), Not: true})
		}
	}
	return out
}

// groupOf returns the id of the heading of an action.
func groupOf(a history.Action) string {
	if a.Node != "" {
		return "group_nodes"
	}
	switch a.Verb {
	case history.Step:
		return "group_steps"
	case history.Tick, history.Advance:
		return "group_time"
	case history.Crash, history.Hang, history.Pause, history.Cancel:
		return "group_processes"
	case history.Jump, history.Rate, history.Flush:
		return "group_clocks"
	}
	return "group_messages"
}

// moveText describes what a move would do.
func (p *gamePage) moveText(move scenarios.Move) string {
	a := move.Action
	who := a.Who()
	with := facts{What: p.in(move.Text)}
	switch a.Verb {
	case history.Step:
		return p.Pair(who, p.stepText(move))
	case history.Tick, history.Advance:
		parts := []string{p.Pair(p.Text("time"), move.At.String())}
		if a.Verb == history.Advance {
			parts = append(parts, p.Text("ends_nothing"))
		}
		for _, d := range move.Ends {
			parts = append(parts, p.deadlineText(d))
		}
		return p.List(parts...)
	case history.Flush:
		return p.Text("move_flush")
	case history.Cut, history.Heal:
		with.What = a.Node
	case history.Jump:
		with.What = fmt.Sprintf("%+ds", a.By/history.Second)
	case history.Rate:
		with.What = fmt.Sprintf("%d%%", a.By/10)
	}
	return p.Pair(who, p.Fill("move_"+string(a.Verb), with))
}

// isCommand reports whether the step of a move is a command to a server.
func (p *gamePage) isCommand(move *scenarios.Move) bool { return p.Text("op_"+move.Doing) == "" }

// stepText describes a strand's next step.
func (p *gamePage) stepText(move scenarios.Move) string {
	with := facts{What: p.in(move.Text)}
	switch text := p.Text("op_" + move.Doing); {
	case text != "" && move.Doing != string(history.Sleep) || move.Doing == string(history.Sleep) && move.Due:
		with.What = p.game.config.Resource
		return p.Fill("op_"+move.Doing, with)
	case move.Sent && move.Due:
		return p.Fill("move_gives_up", with)
	case move.Sent:
		return p.Fill("move_reply", with)
	}
	return with.What
}

func (p *gamePage) deadlineText(d scenarios.Deadline) string {
	switch {
	case d.Key != "":
		return p.Gap("ends_key", d.Key)
	case d.Sleeps:
		return p.Gap("ends_sleep", d.Client)
	}
	return p.Gap("ends_patience", d.Client)
}
