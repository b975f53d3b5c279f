package history

import "lockstep/internal/lang"

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
