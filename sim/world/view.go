package world

import (
	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/server"
)

// This file is what a driver can read of a world.

// Refusal returns why an action is impossible now.
func (w *World) Refusal(a history.Action) sim.Refusal { return w.state.Refusal(a, &w.parties) }

// Enabled lists the actions of some kinds that are possible now; see
// sim.State.Candidates.
func (w *World) Enabled(kinds ...history.Action) []history.Action {
	return w.state.Enabled(&w.parties, kinds...)
}

// Parts returns the state and its parties, for tests that compare worlds.
func (w *World) Parts() (*sim.State, *sim.Parties) { return &w.state, &w.parties }

// A StrandView is what a driver can read of a strand.
type StrandView struct {
	ID      int
	Name    string         // "" for the main strand
	Unslept bool           // a background strand that has not slept yet
	Begun   bool           // it has taken its first step
	Ended   bool           // its code has returned
	Pending string         // its next step: a command's name, read, write, sleep ...
	Text    lang.Message   // the same in full
	Cmds    []string       // the names of the commands that it is about to send
	Stays   bool           // it waits for another strand
	Sent    bool           // its command is sent, and it waits for the reply
	Held    bool           // the same, and its node has the command and will reply later
	Enabled bool           // it can take a step now
	Waits   bool           // it waits for time ...
	Until   history.Millis // ... until then
	Listens bool           // it waits for a message, or for the reply to a command that its node holds
}

// Paused reports whether a client's process stands still.
func (w *World) Paused(name string) bool {
	i := w.parties.Process(name)
	return i >= 0 && w.state.Clients[i].Paused
}

// Strands describes the strands of a client; nil if there is no such client. Of a
// goroutine that shares a process, this is its program, and those of the others have
// ended among the first one's.
func (w *World) Strands(name string) []StrandView {
	i := w.parties.Process(name)
	if i < 0 {
		return nil
	}
	c, wants := &w.state.Clients[i], w.wants(i)
	views := make([]StrandView, len(wants))
	for id := range wants {
		want := &wants[id]
		step := w.parties.OfStrand(history.Step, i, id)
		v := StrandView{
			ID: id, Name: want.Name, Unslept: id > 0 && !w.programs[i].Slept(id), Ended: want.Ended, Stays: want.Stays && !(id == 0 && c.Hung),
			Pending: want.Label, Begun: !want.Fresh, Text: history.InTerse(w.state.TextOf(i, id, &w.parties)), Enabled: w.state.CanStep(i, id, &w.parties),
		}
		if id < len(c.Strands) {
			v.Until, v.Waits = w.state.DueOf(i, id, &w.parties)
			v.Waits = v.Waits && v.Until != sim.Forever
		}
		v.Listens = !want.Ended && id < len(c.Strands) && (want.Saw == sim.SawPush || want.Saw == sim.SawReply && c.Strands[id].Phase == sim.Held)
		if id < len(c.Strands) && want.Saw == sim.SawReply {
			v.Sent = c.Strands[id].Phase != sim.Idle
			v.Held = v.Sent && w.state.PhaseOf(i, id, &w.parties) == sim.Held
		}
		if want.Saw == sim.SawReply && !v.Sent {
			for _, u := range want.Units {
				for _, cmd := range u.Cmds {
					v.Cmds = append(v.Cmds, cmd[0])
				}
			}
		}
		v.Ended = v.Ended || step.Client != w.parties.Names[i] && step.Client != name
		views[id] = v
	}
	if at := w.parties.Strand(history.Action{Client: name}); at > 0 {
		views[at].ID = 0
		return views[at : at+1]
	}
	return views
}

// Alive reports whether the client exists and has not crashed.
func (w *World) Alive(name string) bool {
	i := w.parties.Process(name)
	return i >= 0 && !w.state.Clients[i].Dead
}

// NextExpiry returns when the next key expires.
func (w *World) NextExpiry() (next history.Millis, ok bool) { return w.state.NextExpiry(&w.parties) }

// NextDeadline returns the next moment at which time makes a difference.
func (w *World) NextDeadline() (next history.Millis, ok bool) {
	return w.state.NextDeadline(&w.parties)
}

// Keys returns all keys, by node and key.
func (w *World) Keys() []server.KeyView {
	var views []server.KeyView
	for _, n := range w.nodes {
		views = append(views, n.Keys()...)
	}
	return views
}
