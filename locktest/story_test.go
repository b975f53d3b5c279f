package locktest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestEveryStory plays stories against the lock without a mistake and against one
// that releases without a token. What is violated is what the same schedule
// violates with the lock of the catalogue that does the same.
func TestEveryStory(t *testing.T) {
	testkit.Single(t)
	stories := scenarios.Stories()
	stories = testkit.Some(t, stories, 12, 12)
	for _, test := range []struct {
		wrong mistake
		same  string
	}{{none, "set-lua"}, {noToken, "set-del"}} {
		tr := storied(t, withMistake(test.wrong), nil)
		if tr == nil {
			continue // this is the lock's process, and it is about another one
		}
		for _, s := range stories {
			p, err := tr.Play(t.Context(), s)
			if err != nil {
				t.Errorf("%s: %v", s.Name, err)
				continue
			}
			ours := testkit.Must(scenarios.RunAgainst(t.Context(), s, test.same))(t)
			if got, want := violated(p.Run), violated(ours); !slices.Equal(got, want) || p.Undecided != "" {
				t.Errorf("%s: %s: violates %q %s, and %s %q", test.wrong, s.Name, got, p.Undecided, test.same, want)
			}
			if missed, _ := ours.Missed(); !slices.Equal(p.Missed, missed) {
				t.Errorf("%s: %s: no occasion for %q, and with %s for %q", test.wrong, s.Name, p.Missed, test.same, missed)
			}
			found := slices.ContainsFunc(p.Wrong(), func(f trial.Found) bool { return f.Invariant == history.ForeignRelease })
			if want := slices.Contains(violated(ours), history.ForeignRelease); found != want || test.wrong == none && len(p.Wrong()) > 0 {
				t.Errorf("%s: %s: found %+v", test.wrong, s.Name, p.Wrong())
			}
		}
	}
}

// violated are the invariants that a run violates, each as often as it does.
func violated(r *scenarios.Result) (list []string) {
	for _, v := range r.Violations {
		list = append(list, v.Invariant)
	}
	slices.Sort(list)
	return list
}

// TestShortLease: a lease that is shorter than it was to be is no work that outlives it.
func TestShortLease(t *testing.T) {
	for wrong, want := range map[mistake]bool{none: false, wrongUnit: true} {
		tr := trialHere(t, withMistake(wrong))
		s := testkit.Must(scenarios.Parse("f.txt", "f", "world strategy=mine\n----\n\nrun A until=acquired\n----\n\nadvance 2s\n----\n\ncheck\n----\n"))(t)
		p, err := tr.PlayOwn(t.Context(), s)
		if err != nil || (len(p.Wrong()) > 0) != want {
			t.Errorf("%s: %v, %+v", wrong, err, p)
		}
	}
}

// ownStory is a story about the lock under test, with something to come at the end.
const ownStory = `world strategy=mine clients=A,B ttl=5s
----
mine: A, B

run A until=in-critical
----

advance 6s
----

run B until=in-critical
----

run A
----

check%s
`

// storySubjects are tests of a lock by stories, by name.
var storySubjects = map[string]func(*testing.T){
	"good": func(t *testing.T) { Story(t, "work_outlives_its_lease", withMistake(none)) },
	"red":  func(t *testing.T) { Story(t, "del_removes_the_next_holders_lock", withMistake(noToken)) },
	"allow": func(t *testing.T) {
		Story(t, "del_removes_the_next_holders_lock", withMistake(noToken), Allow(ForeignRelease, "we know", Overrun))
	},
	"strict":   func(t *testing.T) { Story(t, "work_outlives_its_lease", withMistake(none), Strict()) },
	"vacuous":  func(t *testing.T) { Story(t, "a_repeated_acquire_succeeds", withMistake(none)) },
	"no story": func(t *testing.T) { Story(t, "a_late_dell", withMistake(none)) },
	"exit":     func(t *testing.T) { Story(t, "a_late_del", func(Client) (Lock, error) { os.Exit(0); return nil, nil }) },
	"own":      func(t *testing.T) { StoryText(t, fmt.Sprintf(ownStory, "\n----"), withMistake(none)) },
	"own red":  func(t *testing.T) { StoryText(t, fmt.Sprintf(ownStory, "\n----"), withMistake(noToken)) },
	"expected": func(t *testing.T) {
		StoryText(t, fmt.Sprintf(ownStory, " foreign-release\n----\nVIOLATED foreign-release: A removed lock:stock, which B held\nsold 1 of 1"), withMistake(noToken))
	},
	"expected in vain": func(t *testing.T) {
		StoryText(t, fmt.Sprintf(ownStory, " foreign-release\n----\nVIOLATED foreign-release: A removed lock:stock, which B held\nsold 1 of 1"), withMistake(none))
	},
	"own key": func(t *testing.T) {
		Story(t, "del_removes_the_next_holders_lock", func(c Client) (Lock, error) {
			c.Key = "app:" + c.Key
			return withMistake(noToken)(c)
		}, Key("app:lock:stock"))
	},
	"taken key": func(t *testing.T) {
		Story(t, "del_removes_the_next_holders_lock", func(c Client) (Lock, error) {
			c.Key = "app:" + c.Key
			return withMistake(noToken)(c)
		})
	},
	"two keys": func(t *testing.T) {
		Story(t, "del_removes_the_next_holders_lock", counted("app:"))
	},
	"second round": func(t *testing.T) {
		Check(t, func(c Client) (Lock, error) {
			l, rounds := &tutorialLock{redis: c.Redis, key: c.Key, ttl: c.TTL, token: c.Name + "-token"}, 0
			return Funcs(func(ctx context.Context) error {
				if rounds++; rounds == 2 {
					return nil // it takes itself for the holder still
				}
				return l.Lock(ctx)
			}, l.Unlock), nil
		}, Hazards(Contention))
	},
	"nothing":  func(t *testing.T) { StoryText(t, "world strategy=mine\n----\n\nrun A\n----\n", withMistake(none)) },
	"not mine": func(t *testing.T) { StoryText(t, "world strategy=set-lua\n----\n\ncheck\n----\n", withMistake(none)) },
	"no way": func(t *testing.T) {
		StoryText(t, "world strategy=mine\n----\n\nrun A\n----\n\nstep A\n----\n\ncheck\n----\n", withMistake(none))
	},
	"no parse":  func(t *testing.T) { StoryText(t, "world strategy=mine\n----\n\nwalk A\n----\n", withMistake(none)) },
	"a folder":  func(t *testing.T) { Stories(t, ".", withMistake(none)) },
	"no folder": func(t *testing.T) { Stories(t, "nowhere", withMistake(none)) },
}

// TestStorySubject is run by the tests below, in a process of its own.
func TestStorySubject(t *testing.T) {
	test, ok := storySubjects[os.Getenv("LOCKSTEP_TEST_STORY")]
	if !ok {
		t.Skip("other tests run it")
	}
	test(t)
}

// ran runs that test in a folder, and returns whether it passes and what it says.
func ran(t *testing.T, dir, subject string, args ...string) (bool, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestStorySubject$", "-test.v"}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), "LOCKSTEP_TEST_STORY="+subject), dir
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

// TestStory: what a test by a story says, and whether it passes.
func TestStory(t *testing.T) {
	for _, row := range testkit.Some(t, strings.Split(`good @ passes @ --- PASS @ HOLDS @ allowed: 4 invariants (mutual-exclusion, phantom-hold, stale-write, lost-update), since a lease ends @ ; one schedule: ls1.
red @ fails @ VIOLATED foreign-release: A removed lock:stock, which B held @ A                  @ ! foreign-release @ Why:  @ Replay token: 
allow @ passes @ foreign-release, phantom-hold @ since we know
strict @ fails @ VIOLATED mutual-exclusion
vacuous @ passes @ --- SKIP @ VACUOUS @ no occasion for: 
no story @ fails @ "a_late_dell" is not a story
exit @ fails @ os.Exit
own @ passes @ --- PASS @ HOLDS
own red @ fails @ VIOLATED foreign-release @ Replay token: 
expected @ passes @ --- PASS
expected in vain @ fails @ story:19:1: expected "VIOLATED foreign-release: A removed lock:stock, which B held", got "HOLDS" @ A    SET lock:stock A-token
own key @ fails @ VIOLATED foreign-release: A removed app:lock:stock, which B held
taken key @ fails @ VIOLATED foreign-release: A removed app:lock:stock, which B held
two keys @ fails @ an acquisition writes app:lock:stock, app:lock:stock:count, and not lock:stock
nothing @ fails @ story: nothing is asserted
not mine @ fails @ story:1:1: the story is about set-lua; use strategy=mine
no way @ fails @ story:7:1: A: not possible now: A is done
no parse @ fails @ story:4:1: "walk" is not a command
no folder @ fails @ nowhere`, "\n"), 9, 9) {
		says := strings.Split(row, " @ ")
		subject := says[0]
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			passes, out := ran(t, t.TempDir(), subject)
			if passes != (says[1] == "passes") {
				t.Errorf("passes: %t", passes)
			}
			for _, part := range says[2:] {
				if !strings.Contains(out, part) {
					t.Errorf("no %q", part)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// TestStoryFiles: a folder of stories is written with what came, and held to it from
// then on.
func TestStoryFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a_pause.txt")
	testkit.OK(t, os.WriteFile(file, []byte(fmt.Sprintf(ownStory, "\n----")), 0o600))
	if passes, out := ran(t, dir, "a folder", "-lockstep.update"); !passes || !strings.Contains(out, "TestStorySubject/a_pause") {
		t.Error(out)
	}
	text, err := os.ReadFile(file)
	if want := "EVAL {script} 1 lock:stock A-token -> 0"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v, no %q in\n%s", err, want, text)
	}
	if passes, out := ran(t, dir, "a folder"); !passes {
		t.Error(out)
	}
	testkit.OK(t, os.WriteFile(file, []byte(strings.Replace(string(text), "A-token -> 0", "A-token -> 1", 1)), 0o600))
	passes, out := ran(t, dir, "a folder")
	if want := filepath.Base(file) + ":"; passes || !strings.Contains(out, want) || !strings.Contains(out, "-lockstep.update") {
		t.Error(out)
	}
}

// TestLong: what needs more than the usual bounds is found with -lockstep.long.
func TestLong(t *testing.T) {
	if passes, out := ran(t, t.TempDir(), "second round"); !passes {
		t.Error(out)
	}
	passes, out := ran(t, t.TempDir(), "second round", "-lockstep.long")
	if passes || !strings.Contains(out, "VIOLATED phantom-hold") || !strings.Contains(out, "in 2 rounds") || !strings.Contains(out, "at most 6 times") {
		t.Error(out)
	}
}
