package cli

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// This file writes violations as SARIF 2.1.0 (OASIS, March 2020), which code scanning
// shows beside the code: a rule for each invariant, a result for each violation that is
// not allowed, under the first hazard that shows it.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule      string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	// Fingerprints tell that a result is one of an earlier run.
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		File struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Line int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// sarif writes the violations. Files are relative to the working directory, which is
// where CI has its checkout.
func (a *app) sarif(all []tried) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "lockstep"}
	for _, id := range history.Invariants() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id, sarifText{a.book.Invariant(id).Says}})
	}
	for _, t := range all {
		for _, r := range t.reports {
			for _, f := range r.Found {
				if !f.New() {
					continue
				}
				says := f.Says + " (" + t.Test + ", " + r.Hazard + ")\n\n" + strings.Join(f.Why, "\n") + "\n\nlockstep check " + lang.Typed(near(t.suite.Dir)) + " --token " + f.Token
				run.Results = append(run.Results, sarifResult{
					Rule: f.Invariant, Level: "error", Message: sarifText{says}, Locations: []sarifLocation{t.location(f.Source)},
					Fingerprints: map[string]string{"lockstep/v1": t.suite.Path + " " + t.Test + " " + r.Hazard + " " + f.Invariant},
				})
			}
		}
	}
	text, err := json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "", "\t")
	return append(text, '\n'), err
}

// location returns where a line of code is, given as in events. It is the package's folder
// if the file is unknown, or not below the working directory.
func (t *tried) location(source string) (l sarifLocation) {
	file, number, _ := strings.Cut(source, ":")
	l.Physical.Region.Line = 1
	at, known := t.suite.File(file)
	line, err := strconv.Atoi(number)
	if at = near(at); known && err == nil && strings.HasPrefix(at, "./") {
		l.Physical.Region.Line = max(1, line)
	} else {
		at = near(t.suite.Dir)
	}
	u := url.URL{Path: filepath.ToSlash(at)}
	l.Physical.File.URI = strings.TrimPrefix(u.String(), "./")
	return l
}
