package export

import (
	"encoding/json"

	"lockstep/internal/phrase"
)

// This file is the data that a page's script needs beyond the page itself.

type pageData struct {
	Say      map[string]string `json:"say"`
	Clients  []string          `json:"clients"`
	Store    string            `json:"store"` // the kind of server that has the lock
	Commands []Command         `json:"commands"`
	Asks     []askData         `json:"asks"`
	Fails    []failData        `json:"fails"`
	Keys     timeline          `json:"keys"`
	Beliefs  timeline          `json:"beliefs"` // and who owns the lock
	Rows     [][2]int          `json:"rows"`    // of the diagram: the lower end in pixels, and whose it is: a client, from 1
}

type askData struct {
	Row     int      `json:"row"`  // the step before which it is asked, from 0
	Step    int      `json:"step"` // the step that decides it, from 1
	Ask     string   `json:"ask"`
	Told    string   `json:"told"`
	Choices []string `json:"choices"`
	Results []string `json:"results"`
}

type failData struct {
	N      int   `json:"n"` // from 1
	Step   int   `json:"step"`
	Causes []int `json:"causes"`
}

// says are the texts that the script writes, by their names there.
var says = map[string]string{
	"first": "does_first", "back": "does_back", "next": "does_step", "last": "does_last", "whole": "export_whole", "step": "axis", "steps": "steps",
	"keys": "keys", "beliefs": "beliefs", "nokeys": "no_keys", "unsure": "does_unsure",
}

// Data is what the page's script needs. In JSON, nothing ends the element.
func (l *lessonView) Data() phrase.HTML {
	d := pageData{
		Say: map[string]string{"before": l.Before, "after": l.After}, Clients: l.History.Config.Clients, Store: l.store(), Asks: []askData{}, Fails: []failData{},
	}
	for name, id := range says {
		d.Say[name] = l.text(id)
	}
	for _, c := range l.Commands {
		if c.From < c.To {
			d.Commands = append(d.Commands, c)
		}
		for _, q := range c.Questions {
			ask := askData{Row: c.From, Step: q.Step, Ask: q.Ask, Told: q.Solution()}
			for _, choice := range q.Choices {
				ask.Choices, ask.Results = append(ask.Choices, choice.Label), append(ask.Results, q.Result(choice.Answer))
			}
			d.Asks = append(d.Asks, ask)
		}
	}
	for i, v := range l.Violations {
		fail := failData{N: i + 1, Step: v.Step, Causes: []int{}}
		for _, c := range v.Causes() {
			fail.Causes = append(fail.Causes, l.step(c))
		}
		d.Fails = append(d.Fails, fail)
	}
	for i, end := range l.Picture.Ends {
		d.Rows = append(d.Rows, [2]int{end, l.client(l.Rows[i])})
	}
	for i, row := range l.Rows {
		now := row.Now
		keys, beliefs := [][]any{}, [][]any{}
		for _, k := range l.keys(i) {
			changed := 0
			if k.Changed {
				changed = 1
			}
			keys = append(keys, []any{k.name, k.says, k.left, k.Owner, changed})
		}
		for _, c := range now.Clients {
			beliefs = append(beliefs, []any{c.Hold, c.Believes(l.book)})
		}
		d.Keys.add(keys)
		d.Beliefs.add([]any{beliefs, now.Truth(l.book)})
	}
	text, _ := json.Marshal(d) // strings and numbers only
	return phrase.HTML(text)
}

// timeline is a value for each step: the distinct values, and an index for each
// step.
type timeline struct {
	Of []any `json:"of"`
	At []int `json:"at"`

	known map[string]int
}

func (t *timeline) add(value any) {
	text, _ := json.Marshal(value) // strings and numbers only
	i, ok := t.known[string(text)]
	if !ok {
		if t.known == nil {
			t.known = map[string]int{}
		}
		i = len(t.Of)
		t.known[string(text)], t.Of = i, append(t.Of, value)
	}
	t.At = append(t.At, i)
}
