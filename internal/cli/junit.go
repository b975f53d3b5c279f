package cli

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
)

// This file writes verdicts as JUnit's XML, which the views of tests in CI systems read:
// a suite for each lock, a case for each hazard. There is no standard; the elements and
// attributes are those that Jenkins and GitLab document.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     seconds     `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    seconds     `xml:"time,attr"`
	Failure *junitWrong `xml:"failure"`
	Error   *junitWrong `xml:"error"`
	Skipped *junitWrong `xml:"skipped"`
	Out     string      `xml:"system-out,omitempty"`
}

// A junitWrong is why a case has not passed.
type junitWrong struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type seconds time.Duration

func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// junit writes the reports: a violation is a failure, what is undecided an error, what
// proves nothing skipped.
func junit(all []tried) ([]byte, error) {
	var out junitSuites
	for _, t := range all {
		s := junitSuite{Name: t.suite.Path + " " + t.Test, Tests: len(t.reports)}
		for _, r := range t.reports {
			c := junitCase{Class: t.suite.Path, Name: t.Test + "/" + r.Hazard, Time: seconds(r.Took), Out: r.Extent().String() + "\n" + r.Assumptions}
			s.Time += c.Time
			switch {
			case r.Verdict == explore.Violated:
				c.Failure = t.junitFailure(r)
				s.Failures++
			case !r.Passes() && !r.Skipped:
				c.Error = &junitWrong{Message: r.Reason, Type: string(r.Verdict)}
				s.Errors++
			case r.Skipped, r.Verdict == explore.Vacuous:
				c.Skipped = &junitWrong{Message: r.Reason}
				s.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		out.Suites = append(out.Suites, s)
	}
	text, err := xml.MarshalIndent(out, "", "\t")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

// junitFailure is about the violations that are not allowed.
func (t *tried) junitFailure(r *trial.Report) *junitWrong {
	w := &junitWrong{}
	var says []string
	for _, f := range r.Found {
		switch {
		case f.New():
			says = append(says, f.Invariant)
			w.Text += f.Text(nil, "lockstep check "+lang.Typed(near(t.suite.Dir))) + "\n"
		case f.Same != "":
			says = append(says, f.Again().String())
		}
	}
	w.Message, w.Type = strings.Join(says, ", "), string(r.Verdict)
	return w
}
