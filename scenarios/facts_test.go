package scenarios

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// aRun is a story in which A's lease ends early and B sells too. The tests insert
// questions before its commands.
const aRun = `world strategy=set-del clients=A,B ttl=5s
----

%1run A until=before:write
----

%2advance expiry
----

%3run B until=after:write
----

%4run A
----

%5check
----
`

func asking(t *testing.T, place, lines string) *Story {
	t.Helper()
	text := aRun
	for _, p := range []string{"%1", "%2", "%3", "%4", "%5"} {
		with := ""
		if p == place {
			with = lines + "\n"
		}
		text = strings.Replace(text, p, with, 1)
	}
	s := parsed(t, text)
	return s
}

func played(t *testing.T, text string) (*Story, *Result) {
	t.Helper()
	s := parsed(t, text)
	result := testkit.Must(Run(t.Context(), s))(t)
	return s, result
}

// asAsked plays a story whose predictions must be right.
func asAsked(t *testing.T, text string) *Result {
	t.Helper()
	s, result := played(t, text)
	if wrong := result.Mispredicted(s); wrong != nil {
		t.Error(wrong)
	}
	return result
}

// two explains two answers to any question.
const two = "\nbecause x \"x\"\nbecause y \"y\""

// TestFacts: the answer to each fact, and the event that decides it, as its line.
func TestFacts(t *testing.T) {
	for _, row := range strings.Split(`%1 | acquire A | acquired | A acquire -> acquired
%1 | acquire B |  | 
%1 | command A | SET | A SET lock:stock A-1 EX 5 NX -> OK
%1 | command B | none | A reads stock = 1
%1 | reply A SET | OK | A SET lock:stock A-1 EX 5 NX -> OK
%1 | reply A DEL |  | 
%1 | holder | A | A SET lock:stock A-1 EX 5 NX -> OK
%1 | votes A | 1 | A SET lock:stock A-1 EX 5 NX -> OK
%1 | ttl | 5s | A SET lock:stock A-1 EX 5 NX -> OK
%1 | elapsed | 0s | A reads stock = 1
%1 | violated | nothing | A reads stock = 1
%2 | holder | nobody | r1 lock:stock expires (was A-1)
%2 | ttl | gone | r1 lock:stock expires (was A-1)
%2 | violated | phantom-hold | r1 lock:stock expires (was A-1)
%2 | elapsed | 5.001s | r1 lock:stock expires (was A-1)
%2 | inside | 1 | r1 lock:stock expires (was A-1)
%3 | inside | 2 | B enters the critical section
%3 | write B | accepted | B writes stock = 0
%3 | writes | 1 | B writes stock = 0
%4 | write A | accepted | A writes stock = 0
%4 | writes | 2 | A writes stock = 0
%4 | removed A | B | A DEL lock:stock -> 1
%4 | removed B | nobody | A release -> released
%4 | release A | released | A release -> released
%5 | recovers | yes | A release -> released
%5 | holder | nobody | A release -> released`, "\n") {
		tt := strings.Split(row, " | ")
		fact, want, line := tt[1], tt[2], tt[3]
		result := testkit.Must(Run(t.Context(), asking(t, tt[0], `predict "?" `+fact+two)))(t)
		for _, b := range result.Beats {
			for _, p := range b.Step.Predict {
				if p.Answer != want {
					t.Errorf("%s at %s: %q, want %q", fact, b.Step.Text, p.Answer, want)
				}
				if got := lineOf(result, p.At); want != "" && got != line {
					t.Errorf("%s is decided at %q, want %q", fact, got, line)
				}
			}
		}
	}
}

// lineOf is the transcript's line of an event: who, and what.
func lineOf(r *Result, seq int) string {
	l, _ := r.History.LineOf(seq)
	return l.Said().String()
}

// TestTTLIsThatOfTheEnd: the last passing of time decides what remains of a TTL.
func TestTTLIsThatOfTheEnd(t *testing.T) {
	result := asAsked(t, `world strategy=set-del clients=A,B ttl=5s work=4s
----

predict "?" ttl = 2s
because 2s "."
because 5s "."
run A for=3s
----
`)
	if line, want := lineOf(result, result.Beats[1].Step.Predict[0].At), "time 0s -> 3s"; line != want {
		t.Errorf("decided at %q, want %q", line, want)
	}
}

// TestFactsOfSeveralNodes: the last vote decides how many there are, and a minority
// holds nothing.
func TestFactsOfSeveralNodes(t *testing.T) {
	result := asAsked(t, `world strategy=redlock clients=A,B timeout=50ms
----

cut A r1,r2,r3
----

predict "?" votes A = 2
predict "?" acquire A = refused
predict "?" holder = nobody
predict "?" removed A = A
run A
----
`)
	if line, want := lineOf(result, result.Beats[2].Step.Predict[0].At), "A r5 SET lock:stock A-1 NX PX 5000 -> OK"; line != want {
		t.Errorf("votes are decided at %q, want %q", line, want)
	}
}

// TestMispredicted: a wrong key is reported with its line, the key and the run's
// answer.
func TestMispredicted(t *testing.T) {
	for _, tt := range []struct{ lines, want string }{
		{`predict "?" removed A = B`, ""},
		{`predict "?" removed A`, ""},
		{`predict "?" removed A = A`, "f.txt:13:1: the key says removed A = A, and the run says removed A = B"},
		{`predict "?" acquire A = refused`, `f.txt:13:1: the run does not decide acquire A: nothing of the kind happens at "run A"`},
		{`predict "?" removed A` + two, "f.txt:13:1: the run says removed A = B, and no because is about that"},
		{`predict "?" removed A = B` + "\nbecause A \"x\"\nbecause B \"y\"", ""},
	} {
		s := asking(t, "%4", tt.lines)
		result := testkit.Must(Run(t.Context(), s))(t)
		got := ""
		if wrong := result.Mispredicted(s); wrong != nil {
			got = wrong.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.lines, got, tt.want)
		}
	}
}

// TestQuestions: with another lock, its own run decides the answers, and undecided
// questions are left out.
func TestQuestions(t *testing.T) {
	s := asking(t, "%4", `predict "?" removed A = B`+"\n"+`predict "?" reply A DEL = 1`+"\nbecause 0 \"x\"\nbecause 1 \"y\"")
	result := testkit.Must(RunAgainst(t.Context(), s, "set-lua"))(t)
	told := result.Beats[4].Questions
	if len(told) != 1 || told[0].Answer != "nobody" || told[0].Key != "B" {
		t.Errorf("told %+v", told)
	}
	if s.Steps[4].Predict[0].Answer != "" {
		t.Error("the story itself has changed")
	}
}
