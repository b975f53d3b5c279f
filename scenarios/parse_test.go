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

// TestMistakes: the place and the text of every kind of mistake in
// testdata/mistakes.txt, and of two that no text file has.
func TestMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.ReplaceAll(string(text), "WORLD\n", aWorld), "\n== ")
	for _, part := range append(all[1:], "not text @ 1:1 @ UTF-8\nworld \xff", "too long @ 1:1 @ at most\n"+strings.Repeat("#\n", maxStory)) {
		heading, story, _ := strings.Cut(part+"\n", "\n")
		says := strings.Split(heading, " @ ")
		t.Run(says[0], func(t *testing.T) {
			s, err := Parse("f.txt", "f", story)
			if (s != nil) != strings.HasPrefix(says[0], "run: ") {
				t.Fatalf("%v, %v", s, err)
			}
			if s != nil {
				_, err = Run(t.Context(), s)
			}
			wantMistake(t, err, "f.txt:"+says[1]+": ", says[2:])
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

func TestMismatchNamesTheLine(t *testing.T) {
	for _, tt := range []struct{ name, expected, at string }{
		{"other text", "A    crashes before lunch\n", "7:1"},
		{"nothing expected", "", "7:1"},
		{"more expected", "A    crashes before its first step\nand more\n", "8:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, aWorld+"crash A\n----\n"+tt.expected)
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
	const text = "# One.\n#zh 一。\n\n" + aWorld + "# Two.\npredict \"Why?\" holder = nobody\ncrash A\n----\nA    crashes before its first step\n\n\n# The end is a command.\nkeys\n----\nno keys\n"
	s := parsed(t, text)
	result, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := rewritten(t, s, result.Outputs()); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if s.Steps[0].Captions["zh"] != "一。" || s.Steps[1].Captions["en"] != "Two." || s.Steps[1].Predict[0].Question != "Why?" || s.Steps[1].Predict[0].Key != "nobody" {
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
	f.Add(aWorld + "predict \"Will it?\" recovers = yes\npredict-zh \"会吗？\"\nbecause yes \"So.\"\nbecause-zh yes \"是。\"\nbecause no \"No.\"\nrun A\n----\n")
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
	anew.Steps, anew.lines = slices.Clone(s.Steps), slices.Clone(s.lines)
	for i := range anew.Steps {
		step := &anew.Steps[i]
		step.Text = step.String()
		anew.lines[step.Line-1] = step.Text
		if caption, ok := step.Captions["en"]; ok && s.Generated { // its other languages stand beside the text
			step.Captions = map[string]string{"en": caption}
		}
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
	s := parsed(t, "world strategy=set-lua\n----\nset-lua: A, B\n\n# It dies.\ncrash A\nadvance 1s\n\nrun B until=acquired\n")
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
