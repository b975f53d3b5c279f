package history

import (
	"strings"

	"lockstep/internal/lang"
)

// This file reads what worlds say of strands in an event's text, so that it can
// be said in every language.

// Doing is what a strand is about to do: see sim.Want. A command is as it is.
func Doing(text string) lang.Message {
	verb, what, _ := strings.Cut(text, " ")
	switch {
	case text == "its first step":
		return lang.New("its first step")
	case text == "read its clock":
		return lang.New("read its clock")
	case text == "wait for time":
		return lang.New("wait for time")
	case text == "wait for another thread or for time":
		return lang.New("wait for another thread or for time")
	case text == "wait for a message":
		return lang.New("wait for a message")
	case verb == "sleep":
		return lang.New("sleep %s", what)
	case verb == Enter:
		return lang.New("enter %s", what)
	case verb == ReadOp:
		return lang.New("read %s", what)
	case verb == WriteOp:
		return lang.New("write %s", what)
	case verb == Leave:
		return lang.New("leave %s", what)
	case verb == Abandon:
		return lang.New("abandon %s", what)
	}
	return lang.Quote(text)
}

// dying is what a client was about to do when it died or began to hang.
func dying(text string) lang.Message {
	if text == "when it is done" {
		return lang.New("when it is done")
	}
	if what, ok := strings.CutPrefix(text, "before it reads the reply to "); ok {
		return lang.New("before it reads the reply to %s", what)
	}
	if what, ok := strings.CutPrefix(text, "before "); ok {
		return lang.New("before %s", Doing(what))
	}
	if what, ok := strings.CutPrefix(text, "while "); ok && strings.HasSuffix(what, sent) {
		return lang.New("while %s is on the way", strings.TrimSuffix(what, sent))
	}
	return lang.Quote(text)
}

const sent = " is on the way"

// ended is how an operation came back.
func ended(e Event) lang.Message {
	switch {
	case e.Op == OpAcquire && e.Outcome == Acquired:
		return lang.New("acquire -> acquired")
	case e.Op == OpAcquire && e.Outcome == Refused:
		return lang.New("acquire -> refused")
	case e.Op == OpRelease && e.Outcome == Released:
		return lang.New("release -> released")
	case e.Op == OpRelease && e.Outcome == Lost:
		return lang.New("release -> lost")
	case e.Op == OpUpdate && e.Outcome == Updated:
		return lang.New("update -> updated")
	case e.Op == OpUpdate && e.Outcome == Refused:
		return lang.New("update -> refused")
	}
	return lang.Quote(e.Op + " -> " + e.Outcome)
}

func failed(e Event) lang.Message {
	switch e.Op {
	case OpAcquire:
		return lang.New("acquire failed: %s", e.Text)
	case OpRelease:
		return lang.New("release failed: %s", e.Text)
	}
	return lang.New("%s failed: %s", e.Op, e.Text)
}

func unknown(e Event) lang.Message {
	switch e.Op {
	case OpAcquire:
		return lang.New("acquire -> unknown: %s", e.Text)
	case OpRelease:
		return lang.New("release -> unknown: %s", e.Text)
	}
	return lang.New("%s -> unknown: %s", e.Op, e.Text)
}
