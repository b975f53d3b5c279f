package explain

import (
	"fmt"
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A rerun is the whole schedule played without some causes. Whichever of the run's
// violations is explained, it begins alike, so they share it.
type rerun struct {
	history history.History
	ends    []int                   // how many events there are after each action
	goesOn  map[int]map[string]bool // see goOn; by the actions with which violations show
	silent  int                     // the action from which on it proves nothing
}

// rerunOf returns the rerun without some causes; nil if it would not be shared, or
// cannot be played to its end.
func (f *finder) rerunOf(causes []Cause) *rerun {
	if len(f.violations()) < 2 || history.Tried(f.v.Invariant) {
		return nil
	}
	key := ""
	for _, c := range causes {
		key += fmt.Sprint(c.Kind, " ", c.Action, " ", c.Client, " ")
	}
	r, known := f.reruns[key]
	if !known && len(f.reruns)*len(f.full) < MaxWork {
		r = f.play(causes)
		f.reruns[key] = r
	}
	if r == nil || r.goesOn[len(f.plan)-1] == nil {
		return nil
	}
	return r
}

func (f *finder) play(causes []Cause) *rerun {
	w, err := world.New(f.history.Config, f.lengthened(causes))
	if err != nil {
		return nil
	}
	defer w.Close()
	w.Within(f.ctx)
	shows := map[int]bool{}
	for _, v := range f.violations() {
		shows[f.history.Events[v.Seq].Pick] = true
	}
	r := &rerun{goesOn: map[int]map[string]bool{}, silent: len(f.full)}
	for i, a := range f.full {
		a, played := f.spared(causes, i, a)
		can := played && w.Refusal(a).No()
		if played && !can && f.begun(causes, i, a) {
			r.silent = min(r.silent, i)
		}
		if can && w.Perform(a) != nil {
			return nil
		}
		r.ends = append(r.ends, len(w.History().Events))
		if shows[i] {
			r.goesOn[i] = goOn(w)
		}
	}
	r.history = w.History()
	return r
}

// begun reports whether a request that cannot be late was sent before the step that
// is left out. Without the step no request is late, which may be the cause.
func (f *finder) begun(causes []Cause, i int, a history.Action) bool {
	return a.Verb == history.Late && causes[0].Kind == Order && f.sent(i) < causes[0].Action
}

// until is the history after an action.
func (r *rerun) until(action int) history.History {
	h := r.history
	h.Events = h.Events[:r.ends[action]]
	return h
}

// putsOff reports whether one of the causes is put off rather than left out.
func putsOff(causes []Cause) bool {
	return slices.ContainsFunc(causes, func(c Cause) bool { return c.Kind == Order || c.Kind == Renewal })
}
