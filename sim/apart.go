package sim

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// Apart returns, in words, the first thing in which two runs of a client's code
// differ: what they have done since their last observation, then what their strands
// are about to do.
func Apart(did, didAgain []history.Event, wants, wantsAgain []Want) (once, again lang.Message) {
	a, b := inWords(did, wants), inWords(didAgain, wantsAgain)
	nothing := lang.New("nothing")
	for i := range max(len(a), len(b)) {
		once, again = nothing, nothing
		if i < len(a) {
			once = a[i]
		}
		if i < len(b) {
			again = b[i]
		}
		if once.String() != again.String() {
			break
		}
	}
	return once, again
}

func inWords(events []history.Event, wants []Want) (list []lang.Message) {
	for _, l := range history.Lines(events, 1) {
		list = append(list, l.Text)
	}
	for i := range wants {
		switch w := &wants[i]; {
		case w.Ended:
			list = append(list, lang.New("nothing"))
		case !w.Wakes.IsZero():
			list = append(list, lang.New("wait until its clock shows %s", w.Wakes.Format("15:04:05.000000")))
		default:
			list = append(list, w.InFull(Clock{}))
		}
	}
	return list
}
