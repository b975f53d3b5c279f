package cli

import (
	"encoding/json"
	"testing"

	"lockstep/internal/pieces"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestPlayChecked: a part of a check is believed only if its counterexamples, played again,
// violate what they are said to.
func TestPlayChecked(t *testing.T) {
	story, err := scenarios.Find("del_removes_the_next_holders_lock")
	if err != nil {
		t.Fatal(err)
	}
	run, err := scenarios.Run(t.Context(), story)
	if err != nil || len(run.Violations) == 0 {
		t.Fatal(run, err)
	}
	cell := func(invariant, token string) json.RawMessage {
		text, err := json.Marshal(map[string]any{"hazard": "overrun", "found": []map[string]string{{"invariant": invariant, "token": token}}})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	violated := run.Violations[0].Invariant
	config, schedule := run.History.Config, run.History.Schedule
	for text, ok := range map[string]bool{
		"null":                 true,
		`{"hazard":"overrun"}`: true,
		string(cell(violated, history.Token(config, schedule))): true,
		string(cell(history.Leak, history.Token(config, nil))):  false,
		string(cell(violated, history.Token(config, nil))):      false,
		string(cell(violated, "ls1.nonsense")):                  false,
		`{"hazard":`:                                            false,
	} {
		if err := playChecked(t.Context(), json.RawMessage(text)); (err == nil) != ok {
			t.Errorf("%.80s: %v", text, err)
		}
		merged := pieces.Whole{Parts: []pieces.Result{{Cells: []pieces.Cell{{Lock: "l", Hazard: "overrun", Checked: json.RawMessage(text)}}}}}
		if _, err := reportIn(t.Context(), &merged, "l", "overrun"); (err == nil) != (ok && text != "null") {
			t.Errorf("%.80s, merged: %v", text, err)
		}
	}
}
