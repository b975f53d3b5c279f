package locktest

import (
	"context"
	"errors"
	"flag"
	"testing"

	"lockstep/internal/trial"
	"lockstep/scenarios"
)

var update = flag.Bool("lockstep.update", false, "locktest.Stories writes what comes of its stories into their files")

// Story plays a built-in story with a lock; `lockstep list` names the stories.
// It skips and logs steps that are impossible with the lock, such as a command
// that the lock never sends. The test fails if an invariant is violated that the
// contract does not allow. It is skipped if everything special about the story
// is impossible. AcceptSampled, Clients, Goroutines, Hazards, Retries, Rounds, TTL
// and Work do not apply.
func Story(t *testing.T, name string, f Factory, opts ...Option) {
	t.Helper()
	s, err := scenarios.Find(name)
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	tr := storied(t, f, opts)
	if tr == nil {
		return
	}
	ctx, cancel := context.WithDeadline(t.Context(), tr.Until)
	defer cancel()
	p, err := tr.Play(ctx, s)
	if err != nil {
		t.Fatalf("INCONCLUSIVE: %v", err)
	}
	judge(t, p)
	for _, command := range p.Missed {
		t.Logf("no occasion for: %s", command)
	}
	if p.Vacuous && !t.Failed() {
		t.Skip("VACUOUS: the lock gives no occasion for what the story is about")
	}
}

// Stories plays your own stories, every .txt file in a folder, each as a
// subtest. `lockstep help stories` explains the language; strategy=mine is the
// lock that the factory makes. The text below a command is its expected output.
// A check without expected output fails if an invariant is violated that the
// contract does not allow. -lockstep.update writes the output into the files.
func Stories(t *testing.T, dir string, f Factory, opts ...Option) {
	t.Helper()
	tr := storied(t, f, opts)
	if tr == nil {
		return
	}
	stories, err := scenarios.ReadDir(dir)
	if err != nil {
		t.Errorf("locktest: %v", err)
	}
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			p := own(t, tr, s)
			if wrong := p.Run.Contradiction(s); wrong != nil && !*update {
				t.Errorf("%v\n(to write what came into the file: -lockstep.update)", wrong)
			}
			if !*update {
				return
			}
			if err := s.Update(p.Run); err != nil {
				t.Fatalf("%s: not updated: %v", s.Path, err)
			}
		})
	}
}

// StoryText plays one story, given as text, as Stories plays a file.
func StoryText(t *testing.T, text string, f Factory, opts ...Option) {
	t.Helper()
	tr := storied(t, f, opts)
	if tr == nil {
		return
	}
	s, err := scenarios.Parse("story", "story", text)
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	p := own(t, tr, s)
	if wrong := p.Run.Contradiction(s); wrong != nil {
		played, err := s.Rewrite(p.Run.Outputs())
		t.Errorf("%v\nThis is what came:\n%s", wrong, played)
		if err != nil {
			t.Log(err)
		}
	}
}

// storied starts a trial for stories; nil in the lock's process.
func storied(t *testing.T, f Factory, opts []Option) *trial.Trial {
	t.Helper()
	o := defaults()
	o.unlisted = true
	return begin(t, f, o, opts)
}

// own plays a story that is about the lock under test.
func own(t *testing.T, tr *trial.Trial, s *scenarios.Story) *trial.Played {
	t.Helper()
	if !s.Asserts() && !*update {
		t.Fatalf("%s: nothing is asserted: there is no check, and nothing below a command", s.Path)
	}
	ctx, cancel := context.WithDeadline(t.Context(), tr.Until)
	defer cancel()
	p, err := tr.PlayOwn(ctx, s)
	var mistake *scenarios.Error
	switch {
	case errors.As(err, &mistake):
		t.Fatal(err)
	case err != nil:
		t.Fatalf("INCONCLUSIVE: %s: %v", s.Path, err)
	}
	if wrong := p.Run.Mispredicted(s); wrong != nil {
		t.Error(wrong)
	}
	judge(t, p)
	return p
}

// judge fails a test for what the contract does not allow.
func judge(t *testing.T, p *trial.Played) {
	t.Helper()
	logAllowed(t, p.Found)
	switch wrong := p.Wrong(); {
	case len(wrong) > 0:
		t.Errorf("%s\n%s", wrong[0].Says, p.Text(nil))
	case p.Undecided != "":
		t.Errorf("INCONCLUSIVE: %s", p.Undecided)
	default:
		t.Logf("HOLDS: %s", p.Run.Consequence)
	}
}
