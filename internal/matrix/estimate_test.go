package matrix

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
)

var update = flag.Bool("update", false, "compute the matrix, which takes minutes, and write its weights")

func catalogue(t *testing.T) (locks []explore.Lock) {
	t.Helper()
	for _, info := range strategies.Catalogue() {
		subject, err := scenarios.SubjectOf(info.ID)
		if err != nil {
			t.Fatal(err)
		}
		locks = append(locks, explore.Lock{ID: info.ID, Subject: subject})
	}
	return locks
}

// TestWeights: every cell of the catalogue has a weight.
func TestWeights(t *testing.T) {
	locks := catalogue(t)
	if *update {
		cells, err := explore.Matrix(t.Context(), locks, explore.Hazards(), explore.Within(Limits(1<<33), "A", "B"), runtime.GOMAXPROCS(0), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for i := range cells {
			fmt.Fprintln(&b, cells[i].Lock, cells[i].Hazard, strconv.FormatFloat(max(1, Weigh(&cells[i].Report)), 'g', 2, 64))
		}
		if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		weights = b.String()
	}
	known, err := parseWeights(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range locks {
		for _, h := range explore.Hazards() {
			if known[l.ID+" "+h.ID] == 0 {
				t.Errorf("%s, %s has no weight: go test ./internal/matrix -run TestWeights -update", l.ID, h.ID)
			}
		}
	}
	if want := len(locks) * len(explore.Hazards()); len(known) != want {
		t.Errorf("%d weights for %d cells", len(known), want)
	}
	for _, bad := range []string{"setnx crash", "setnx crash heavy", "setnx crash 0", "a b 1 2"} {
		if _, err := parseWeights(bad); err == nil {
			t.Errorf("%q is taken for a weight", bad)
		}
	}
}

// TestEstimate: the time left is that of the weight left, and what comes from the
// cache does not count.
func TestEstimate(t *testing.T) {
	begun := time.Unix(0, 0)
	cell := func(hazard string, cached bool) *explore.Cell {
		c := &explore.Cell{Lock: "l", Report: explore.Report{Hazard: hazard}}
		if cached {
			c.Since = begun
		}
		return c
	}
	e := &Estimate{begun: begun, total: 1000, known: map[string]float64{"l small": 50, "l large": 350, "l cached": 200}}
	at := func(seconds int) string { return e.Left(begun.Add(time.Duration(seconds) * time.Second)).String() }
	e.Done(cell("small", false))
	if got := at(10); got != "" {
		t.Errorf("after a twentieth: %q", got)
	}
	e.Done(cell("cached", true))
	e.Done(cell("large", false))
	if got := at(10); got != "about 10s left" {
		t.Errorf("after 400 of 800 in 10 s: %q", got)
	}
	e.Done(cell("large", false))
	if got := at(30); got != "about 2s left" {
		t.Errorf("after 750 of 800: %q", got)
	}
	e.Done(cell("small", false))
	if got := at(10); got != "" {
		t.Errorf("at the end: %q", got)
	}
	var none *Estimate
	if none.Done(cell("small", false)); !none.Left(begun).None() {
		t.Error("without weights there is no estimate")
	}
	usual, few := Limits(1<<30), Limits(1<<30)
	few.States = 10
	if NewEstimate(catalogue(t), explore.Hazards(), usual, begun) == nil || NewEstimate(catalogue(t), explore.Hazards(), few, begun) != nil {
		t.Error("the weights are those of the usual limits")
	}
	if NewEstimate([]explore.Lock{{ID: "foreign"}}, explore.Hazards(), usual, begun) != nil {
		t.Error("the weight of a foreign lock is known")
	}
}
