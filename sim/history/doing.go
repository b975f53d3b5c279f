package history

import (
	"strings"

	"lockstep/message"
)

// This file reads what worlds say of strands in an event's text, so that it can
// be said in every language.

// Doing is what a strand is about to do: see sim.Want. A command is as it is.
func Doing(text string) message.Message {
	verb, what, _ := strings.Cut(text, " ")
	switch {
	case text == "its first step":
		return message.New("its first step")
	case text == "read its clock":
		return message.New("read its clock")
	case text == "wait for time":
		return message.New("wait for time")
	case text == "wait for another thread or for time":
		return message.New("wait for another thread or for time")
	case verb == "sleep":
		return message.New("sleep %s", what)
	case verb == Enter:
		return message.New("enter %s", what)
	case verb == ReadOp:
		return message.New("read %s", what)
	case verb == WriteOp:
		return message.New("write %s", what)
	case verb == Leave:
		return message.New("leave %s", what)
	case verb == Abandon:
		return message.New("abandon %s", what)
	}
	return message.Quote(text)
}

// dying is what a client was about to do when it died or began to hang.
func dying(text string) message.Message {
	if text == "when it is done" {
		return message.New("when it is done")
	}
	if what, ok := strings.CutPrefix(text, "before it reads the reply to "); ok {
		return message.New("before it reads the reply to %s", what)
	}
	if what, ok := strings.CutPrefix(text, "before "); ok {
		return message.New("before %s", Doing(what))
	}
	if what, ok := strings.CutPrefix(text, "while "); ok && strings.HasSuffix(what, sent) {
		return message.New("while %s is on the way", strings.TrimSuffix(what, sent))
	}
	return message.Quote(text)
}

const sent = " is on the way"

// ended is how an operation came back.
func ended(e Event) message.Message {
	switch {
	case e.Op == OpAcquire && e.Outcome == Acquired:
		return message.New("acquire -> acquired")
	case e.Op == OpAcquire && e.Outcome == Refused:
		return message.New("acquire -> refused")
	case e.Op == OpRelease && e.Outcome == Released:
		return message.New("release -> released")
	case e.Op == OpRelease && e.Outcome == Lost:
		return message.New("release -> lost")
	case e.Op == OpUpdate && e.Outcome == Updated:
		return message.New("update -> updated")
	case e.Op == OpUpdate && e.Outcome == Refused:
		return message.New("update -> refused")
	}
	return message.Quote(e.Op + " -> " + e.Outcome)
}

func failed(e Event) message.Message {
	switch e.Op {
	case OpAcquire:
		return message.New("acquire failed: %s", e.Text)
	case OpRelease:
		return message.New("release failed: %s", e.Text)
	}
	return message.New("%s failed: %s", e.Op, e.Text)
}

func unknown(e Event) message.Message {
	switch e.Op {
	case OpAcquire:
		return message.New("acquire -> unknown: %s", e.Text)
	case OpRelease:
		return message.New("release -> unknown: %s", e.Text)
	}
	return message.New("%s -> unknown: %s", e.Op, e.Text)
}
