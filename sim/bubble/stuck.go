package bubble

import (
	"strconv"
	"strings"

	"lockstep/sim/program"
)

// stuck says which code of a run does not come to rest.
func (r *run) stuck() error {
	s := program.Stuck{Lock: r.b.config.Strategy, Client: r.b.name, Action: r.b.since, For: program.Patience()}
	mark := "synctest bubble " + strconv.Itoa(r.number) + "]"
	for stack := range strings.SplitSeq(program.Stacks(), "\n\n") {
		head, _, _ := strings.Cut(stack, "\n")
		if !strings.HasSuffix(head, mark+":") || strings.Contains(head, "(durable)") || strings.Contains(stack, "synctest.Wait(") {
			continue
		}
		if state, place := program.Whereabouts(stack); place != "" || s.Place == "" {
			s.State, s.Place = state, place
		}
	}
	return &program.StuckError{Stuck: s}
}
