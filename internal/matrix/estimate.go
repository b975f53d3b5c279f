package matrix

import (
	_ "embed"
	"reflect"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/explore"
)

// An Estimate says how long the rest of a matrix takes, by the weights of the
// cells that are done and that are left. The number of cells says little: a few
// take most of the time.
type Estimate struct {
	begun       time.Time
	known       map[string]float64
	done, total float64
}

// weights has a line for each cell of the catalogue: the lock, the hazard, and
// the weight. TestWeights writes it.
//
//go:embed weights.txt
var weights string

func parseWeights(text string) (map[string]float64, error) {
	known := map[string]float64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		weight := 0.0
		if len(words) == 3 {
			weight, _ = strconv.ParseFloat(words[2], 64)
		}
		if weight <= 0 {
			return nil, lang.Errorf("weights: not a lock, a hazard and a weight: %q", line)
		}
		known[words[0]+" "+words[1]] = weight
	}
	return known, nil
}

// Weigh returns the weight of a cell that was computed: about 30 states take as
// long as a run of code.
func Weigh(r *explore.Report) float64 { return float64(r.States + 30*(r.ClientRuns+r.NodeRuns)) }

// NewEstimate returns the estimate of a matrix that begins now. It is nil, and
// says nothing, if the weight of a cell within these limits is not known.
func NewEstimate(locks []explore.Lock, hazards []explore.Hazard, limits explore.Bounds, now time.Time) *Estimate {
	known, err := parseWeights(weights)
	if err != nil || !reflect.DeepEqual(limits, Limits(limits.Memory)) {
		return nil
	}
	e := &Estimate{begun: now, known: known}
	for _, l := range locks {
		for _, h := range hazards {
			weight := known[l.ID+" "+h.ID]
			if weight == 0 {
				return nil
			}
			e.total += weight
		}
	}
	return e
}

// Done notes that a cell is done. One from the cache was never to be computed.
func (e *Estimate) Done(c *explore.Cell) {
	if e == nil {
		return
	}
	weight := e.known[c.Lock+" "+c.Hazard]
	if !c.Since.IsZero() {
		e.total -= weight
		return
	}
	e.done += weight
}

// Left says how long the rest takes. It is empty until a tenth is done.
func (e *Estimate) Left(now time.Time) lang.Message {
	if e == nil || e.done < e.total/10 || e.done >= e.total {
		return lang.Message{}
	}
	left := time.Duration(float64(now.Sub(e.begun)) * (e.total - e.done) / e.done)
	if left < time.Second {
		return lang.Message{}
	}
	return lang.New("about %v left", left.Round(time.Second))
}
