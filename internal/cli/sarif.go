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

// An object is one of JSON.
type object map[string]any

// sarif writes the violations. Files are relative to the working directory, which is
// where CI has its checkout.
func (a *app) sarif(all []tried) ([]byte, error) {
	rules, results := []object{}, []object{}
	for _, id := range history.Invariants() {
		rules = append(rules, object{"id": id, "shortDescription": object{"text": a.book.Invariant(id).Says}})
	}
	for _, t := range all {
		for _, r := range t.reports {
			for _, f := range r.Found {
				if !f.New() {
					continue
				}
				says := f.Says + " (" + t.Test + ", " + r.Hazard + ")\n\n" + strings.Join(f.Why, "\n") + "\n\nlockstep check " + lang.Typed(near(t.suite.Dir)) + " --token " + f.Token
				results = append(results, object{
					"ruleId": f.Invariant, "level": "error", "message": object{"text": says}, "locations": []object{t.location(f.Source)},
					// by which a result is known as one of an earlier run
					"partialFingerprints": object{"lockstep/v1": t.suite.Path + " " + t.Test + " " + r.Hazard + " " + f.Invariant},
				})
			}
		}
	}
	run := object{"tool": object{"driver": object{"name": "lockstep", "rules": rules}}, "results": results}
	text, err := json.MarshalIndent(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run}}, "", "\t")
	return append(text, '\n'), err
}

// location returns where a line of code is, given as in events. It is the package's folder
// if the file is unknown, or not below the working directory.
func (t *tried) location(source string) object {
	file, number, _ := strings.Cut(source, ":")
	at, known := t.suite.File(file)
	line, err := strconv.Atoi(number)
	if at = near(at); !known || err != nil || !strings.HasPrefix(at, "./") {
		at, line = near(t.suite.Dir), 1
	}
	u := url.URL{Path: filepath.ToSlash(at)}
	return object{"physicalLocation": object{
		"artifactLocation": object{"uri": strings.TrimPrefix(u.String(), "./")}, "region": object{"startLine": max(1, line)},
	}}
}
