package scenarios

import (
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// TestOutput: a line as stories have it, and as a person reads it.
func TestOutput(t *testing.T) {
	broken := &history.Violation{Invariant: history.ForeignRelease, Client: "A", Other: "B", Key: "k"}
	for _, test := range []struct {
		line            history.Line
		written, en, zh string
	}{
		{
			history.Line{Who: "A", Text: lang.Quote("SETNX k A-1 -> 1"), Source: "strategies/setnx.go:17"},
			"A    SETNX k A-1 -> 1                                        strategies/setnx.go:17",
			"A SETNX k A-1 -> 1 (strategies/setnx.go:17)", "A SETNX k A-1 -> 1（strategies/setnx.go:17）",
		},
		{
			history.Line{Text: lang.New("time %s -> %s", history.Millis(0), history.Second)},
			"     time 0s -> 1s", "time 0s -> 1s", "时间 0s -> 1s",
		},
		{history.Line{Apart: true, Text: lang.New("HOLDS")}, "HOLDS", "HOLDS", "全部成立"},
		{
			history.Line{Broken: broken},
			"     VIOLATED foreign-release: A removed k, which B held", "VIOLATED foreign-release: A removed k, which B held",
			"违反「不删他人的锁」（foreign-release）：A 删除了 B 持有的 k",
		},
		{
			history.Line{Apart: true, Broken: broken, Times: 2},
			"VIOLATED foreign-release: A removed k, which B held (2 times)", "VIOLATED foreign-release: A removed k, which B held (2 times)",
			"违反「不删他人的锁」（foreign-release）：A 删除了 B 持有的 k（共 2 次）",
		},
	} {
		if got := written(test.line); got != test.written {
			t.Errorf("%q, want %q", got, test.written)
		}
		for language, want := range map[string]string{"en": test.en, "zh": test.zh} {
			b, err := prose.Load(language)
			if err != nil {
				t.Fatal(err)
			}
			if got := Aloud(b, test.line); got != want {
				t.Errorf("%s: %q, want %q", language, got, want)
			}
		}
	}
}
