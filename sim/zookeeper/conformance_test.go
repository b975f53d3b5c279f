package zookeeper

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestConformance runs random scripts on a real ZooKeeper and on a State, and
// compares all that they send to the byte, except for what normal leaves out.
func TestConformance(t *testing.T) {
	runs, shards := testkit.Size(t, 150, 30), runtime.GOMAXPROCS(0)
	if runs < 1000 {
		shards = 1 // a second server takes longer to start than the scripts
	}
	for shard := range shards {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			done := 0
			for seed := shard; seed < runs; seed += shards {
				b.check(t, rand.NewPCG(uint64(seed), 0), fmt.Sprint("seed ", seed))
				if done++; done%1000 == 0 {
					t.Logf("%d so far", done)
				}
			}
			t.Logf("%d scripts agree with ZooKeeper", done)
			b.report(t)
		})
	}
}

// check fails at the first difference, with the shortest script that still
// differs.
func (b *bench) check(t testing.TB, source rand.Source, name string) {
	t.Helper()
	script := newGenerator(source).script()
	if text := b.play(script); text != "" {
		shortest, text, log := b.shrink(script, text)
		t.Fatalf("%s: %s\n\n%s\n\n%d steps:\n%s", name, text, strings.Join(log, "\n"), len(shortest), lines(shortest))
	}
}

func lines(script []step) string {
	var b strings.Builder
	for _, s := range script {
		b.WriteString(s.String() + "\n")
	}
	return b.String()
}

// shrink removes steps while the script still differs. After a difference the
// two sides have parted: each try has a new server.
func (b *bench) shrink(script []step, text string) ([]step, string, []string) {
	log := b.log
	for i, tries := len(script)-1, 0; i >= 0 && tries < 60; i, tries = i-1, tries+1 {
		fresh := newBench(b.t)
		less := slices.Delete(slices.Clone(script), i, i+1)
		if other := fresh.play(less); other != "" {
			script, text, log = less, other, fresh.log
		}
	}
	return script, text, log
}

// report logs how often what happened.
func (b *bench) report(t testing.TB) {
	var list []string
	for what, n := range b.counts {
		list = append(list, fmt.Sprintf("%s %d", what, n))
	}
	slices.Sort(list)
	t.Log(strings.Join(list, ", "))
}
