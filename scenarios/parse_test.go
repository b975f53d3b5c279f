package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const aWorld = "world strategy=set-lua clients=A,B\n----\nset-lua: A, B\n\n"

// TestMistakes: the place and the text of every kind of mistake.
func TestMistakes(t *testing.T) {
	tests := []struct {
		name, text, at string
		says           []string
	}{
		{"empty", "", "1:1", []string{"no command", "world strategy="}},
		{"only captions", "# hello\n", "2:1", []string{"without a command"}},
		{"unknown command", aWorld + "rnu A\n----\n", "5:1", []string{`"rnu" is not a command; did you mean run`}},
		{"no world", "run A\n----\n", "1:1", []string{"world line", "first"}},
		{"two worlds", aWorld + aWorld, "5:1", []string{"one world line"}},
		{"world without strategy", "world clients=A\n----\n", "1:16", []string{"strategy= is missing", "set-lua"}},
		{"unknown lock", "world strategy=set-lau\n----\n", "1:7", []string{`"set-lau"`, "set-lua"}},
		{"unknown field", "world strategy=set-lua colour=red\n----\n", "1:24", []string{`"colour"`, "ttl"}},
		{"not name=value", "world set-lua\n----\n", "1:7", []string{`"set-lua"`, "name=value"}},
		{"bad duration in the world", "world strategy=set-lua ttl=soon\n----\n", "1:24", []string{`"soon"`, "5s"}},
		{"bad client name", "world strategy=set-lua clients=a\n----\n", "1:24", []string{`"a"`}},
		{"unknown client", aWorld + "run C\n----\n", "5:5", []string{`"C"`, "A, B"}},
		{"missing client", aWorld + "run\n----\n", "5:4", []string{"client is missing"}},
		{"unknown moment", aWorld + "run A until=lunch\n----\n", "5:7", []string{`"lunch"`, "in-critical", "before:CMD"}},
		{"lower-case command in a moment", aWorld + "run A until=before:del\n----\n", "5:7", []string{`"before:del"`}},
		{"moment without a command", aWorld + "run A until=before:\n----\n", "5:7", []string{`"before:"`}},
		{"unknown word of run", aWorld + "run A fast\n----\n", "5:7", []string{`"fast"`, "until=", "for="}},
		{"bad for", aWorld + "run A for=-1s\n----\n", "5:7", []string{"length of time"}},
		{"bad duration", aWorld + "advance 5\n----\n", "5:9", []string{`"5"`, "500ms"}},
		{"time backwards", aWorld + "advance -5s\n----\n", "5:9", []string{"forward"}},
		{"missing duration", aWorld + "advance\n----\n", "5:8", []string{"missing", "expiry"}},
		{"one word too many", aWorld + "crash A now\n----\n", "5:9", []string{`"now"`, "too many"}},
		{"lose what", aWorld + "lose hope A\n----\n", "5:6", []string{`"hope"`, "request, reply or push"}},
		{"clock without a turn", aWorld + "clock A\n----\n", "5:8", []string{"missing", "+10s"}},
		{"clock rate", aWorld + "clock A rate=fast\n----\n", "5:9", []string{`"fast"`, "between"}},
		{"no node", aWorld + "wipe r0\n----\n", "5:6", []string{`"r0"`, "r1"}},
		{"a node twice", aWorld + "wipe r1,r1\n----\n", "5:6", []string{"twice"}},
		{"no node to be cut off from", aWorld + "cut A\n----\n", "5:6", []string{"a node is missing"}},
		{"clock of a node by nothing", aWorld + "clock r1 0s\n----\n", "5:10", []string{"none"}},
		{"clock rate of a node", aWorld + "clock r1 rate=2000\n----\n", "5:10", []string{`"2000"`, "between"}},
		{"clocks of nodes, one twice", aWorld + "clock r1,r1 +1s\n----\n", "5:7", []string{"twice"}},
		{"promotion without a lag", aWorld + "promote r1 missing=1\n----\n", "5:12", []string{"lag=1"}},
		{"promotion missing nothing", aWorld + "promote r1 lag=1\n----\n", "5:12", []string{"missing=1"}},
		{"clock by nothing", aWorld + "clock A 0s\n----\n", "5:9", []string{"none"}},
		{"unknown invariant", aWorld + "check safety\n----\n", "5:7", []string{`"safety"`, "mutual-exclusion"}},
		{"replay what", aWorld + "replay\n----\n", "5:7", []string{"strategy=LOCK"}},
		{"replay of an unknown lock", aWorld + "replay strategy=setlua\n----\n", "5:8", []string{`"setlua" is not a lock; did you mean set-lua`}},
		{"output without dashes", aWorld + "crash A\nA    crashes\n", "6:1", []string{`"A" is not a command`, "---- is missing above"}},
		{"dashes alone", aWorld + "----\n", "5:1", []string{"without a command"}},
		{"no blank line before a command", aWorld + "crash A\n----\nA    crashes\nkeys\n----\n", "9:1", []string{"blank line"}},
		{"no blank line before a caption", aWorld + "crash A\n----\n# Next.\n", "7:1", []string{"blank line"}},
		{"said twice", "world strategy=set-lua ttl=5s ttl=6s\n----\n", "1:31", []string{"ttl is said twice"}},
		{"two ends", aWorld + "run A until=done for=3s\n----\n", "5:18", []string{"one end"}},
		{"clock rate that is no number", aWorld + "clock A rate=nan\n----\n", "5:9", []string{`"nan"`, "between"}},
		{"clock rate with more behind it", aWorld + "clock A rate=2abc\n----\n", "5:9", []string{`"2abc"`}},
		{"prediction with an empty answer", aWorld + "predict \"Why?\" holder =\nrun A\n----\n", "5:24", []string{"no answer"}},
		{"prediction without question", aWorld + "predict yes\nrun A\n----\n", "5:9", []string{"in quotes"}},
		{"prediction without a fact", aWorld + "predict \"Will it?\"\nrun A\n----\n", "5:19", []string{"no fact"}},
		{"not text", "world \xff", "1:1", []string{"UTF-8"}},
		{"too long", strings.Repeat("#\n", maxStory), "1:1", []string{"at most"}},
		{"columns count characters", aWorld + "advance 时\n----\n", "5:9", []string{"时"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse("f.txt", "f", tt.text)
			wantMistake(t, err, "f.txt:"+tt.at+": ", tt.says)
			if s != nil {
				t.Error("a story came back beside the error")
			}
		})
	}
}

func wantMistake(t *testing.T, err error, prefix string, says []string) {
	t.Helper()
	var mistake *Error
	if !errors.As(err, &mistake) {
		t.Fatalf("got %v, want an *Error", err)
	}
	if !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("got %q, want it at %s", err, prefix)
	}
	for _, words := range says {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("got %q, want it to say %q", err, words)
		}
	}
}

// TestMistakesOfARun: mistakes that only playing the story shows.
func TestMistakesOfARun(t *testing.T) {
	tests := []struct {
		name, text, at string
		says           []string
	}{
		{"run after death", aWorld + "crash A\n----\nA    crashes before its first step\n\nrun A\n----\n", "9:1", []string{"client A is dead"}},
		{"crash after death", aWorld + "crash A\n----\n\ncrash A\n----\n", "8:1", []string{"client A is dead"}},
		{"no such strand", aWorld + "run A/3\n----\n", "5:1", []string{"no thread 3"}},
		{"nothing to lose", aWorld + "lose reply A\n----\n", "5:1", []string{"not about to send"}},
		{"nothing late", aWorld + "late A\n----\n", "5:1", []string{"no request of A"}},
		{"nothing expires", aWorld + "advance expiry\n----\n", "5:1", []string{"no key has a TTL"}},
		{"nobody waits", aWorld + "advance next\n----\n", "5:1", []string{"nobody waits"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse("f.txt", "f", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Run(t.Context(), s)
			wantMistake(t, err, "f.txt:"+tt.at+": ", tt.says)
		})
	}
}

func TestMismatchNamesTheLine(t *testing.T) {
	for _, tt := range []struct{ name, expected, at string }{
		{"other text", "A    crashes before lunch\n", "7:1"},
		{"nothing expected", "", "7:1"},
		{"more expected", "A    crashes before its first step\nand more\n", "8:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Parse("f.txt", "f", aWorld+"crash A\n----\n"+tt.expected)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			wantMistake(t, result.Mismatch(s), "f.txt:"+tt.at+": ", []string{"expected", "got"})
			again, err := Parse("f.txt", "f", rewritten(t, s, result.Outputs()))
			if err != nil {
				t.Fatal(err)
			}
			if result, err = Run(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			if err := result.Mismatch(again); err != nil {
				t.Errorf("after a rewrite: %v", err)
			}
		})
	}
}

func TestRewriteKeepsEverythingElse(t *testing.T) {
	const text = "# One.\n#zh 一。\n\n" + aWorld + "# Two.\npredict \"Why?\" recovers = no\ncrash A\n----\nA    crashes before its first step\n\n\n# The end is a command.\nkeys\n----\nno keys\n"
	s, err := Parse("f.txt", "f", text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := rewritten(t, s, result.Outputs()); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if s.Steps[0].Captions["zh"] != "一。" || s.Steps[1].Captions["en"] != "Two." || s.Steps[1].Predict[0].Question != "Why?" || s.Steps[1].Predict[0].Key != "no" {
		t.Errorf("steps: %+v", s.Steps)
	}
}

func TestWindowsLineEndings(t *testing.T) {
	s, result := played(t, strings.ReplaceAll(aWorld, "\n", "\r\n"))
	if err := result.Mismatch(s); err != nil {
		t.Error(err)
	}
}

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadDir(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that does not exist was read")
	}
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), "no story") {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("good.txt", aWorld)
	write("bad.txt", "walk A\n")
	write("notes.md", "not a story")
	stories, err := ReadDir(dir)
	if len(stories) != 1 || stories[0].Name != "good" {
		t.Errorf("stories: %v", stories)
	}
	wantMistake(t, err, filepath.Join(dir, "bad.txt")+":1:1: ", []string{"walk"})
	if _, err := ReadDir(filepath.Join(dir, "good.txt")); err == nil {
		t.Error("a file was read as a folder")
	}
}

func FuzzParse(f *testing.F) {
	entries, err := embedded.ReadDir("stories")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range entries {
		text, err := embedded.ReadFile("stories/" + entry.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("world strategy=set-lua\n----\n\nrun A until=before:\n----\n")
	f.Add(aWorld + ask + "predict-zh \"会吗？\"\nbecause yes \"So.\"\nbecause-zh yes \"是。\"\nbecause no \"No.\"\nrun A\n----\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f.txt", "f", text)
		if err != nil {
			var mistake *Error
			if !errors.As(err, &mistake) || mistake.Line < 1 || mistake.Col < 1 || mistake.Err == nil {
				t.Errorf("error %#v has no place or no words", err)
			}
			return
		}
		outputs := make([][]string, len(s.Steps))
		for i, step := range s.Steps {
			outputs[i] = step.Expected
		}
		again, err := Parse("f.txt", "f", rewritten(t, s, outputs))
		if err != nil || len(again.Steps) != len(s.Steps) {
			t.Errorf("%q parses, but rewritten it does not: %v", text, err)
		}
		sameWhenWritten(t, s)
	})
}

// sameWhenWritten writes a parsed story from its data and parses the result.
func sameWhenWritten(t *testing.T, s *Story) {
	t.Helper()
	anew := *s
	anew.Steps = slices.Clone(s.Steps)
	for i := range anew.Steps {
		step := &anew.Steps[i]
		step.Text, step.Predict = step.String(), slices.Clone(step.Predict)
	}
	if err := anew.write(); err != nil {
		t.Fatalf("cannot be written: %v", err)
	}
	read, err := Parse(s.Path, s.Name, anew.Source())
	if err != nil {
		t.Fatalf("written, it does not parse: %v\n%s", err, anew.Source())
	}
	for i, step := range anew.Steps {
		if i >= len(read.Steps) || !reflect.DeepEqual(read.Steps[i], step) {
			t.Fatalf("written and read again, step %d is\n%#v\nand not\n%#v\nin\n%s", i+1, read.Steps[i], step, anew.Source())
		}
	}
	if len(read.Steps) != len(anew.Steps) {
		t.Errorf("written and read again, it has %d steps and not %d", len(read.Steps), len(anew.Steps))
	}
}

func rewritten(t *testing.T, s *Story, outputs [][]string) string {
	t.Helper()
	text, err := s.Rewrite(outputs)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDashesLeftOut: a story without dashes is played, does not match, and Rewrite
// adds them.
func TestDashesLeftOut(t *testing.T) {
	s, err := Parse("f.txt", "f", "world strategy=set-lua\n----\nset-lua: A, B\n\n# It dies.\ncrash A\nadvance 1s\n\nrun B until=acquired\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := r.Mismatch(s); wrong == nil || wrong.Error() != "f.txt:6:8: ---- and what comes is missing below the command; --update writes it" {
		t.Errorf("%v", wrong)
	}
	text, err := s.Rewrite(r.Outputs())
	if err != nil {
		t.Fatal(err)
	}
	if want := "# It dies.\ncrash A\n----\nA    crashes before its first step\n\nadvance 1s\n----\n     time 0s -> 1s\n\nrun B until=acquired\n----\nB    SET"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant in it\n%s", text, want)
	}
	again, err := Parse("f.txt", "f", text)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Run(t.Context(), again); err != nil || r.Mismatch(again) != nil {
		t.Errorf("%v %v", err, r.Mismatch(again))
	}
}
