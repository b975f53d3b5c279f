package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

type rules struct {
	Moves []string
	Times int
}

type data struct {
	Format  int
	Names   []string
	Chapter []struct {
		ID, Lock string
		Levels   []string
		Open     bool
		rules
		Rules rules
	}
	Text map[string]struct{ Title string }
}

func TestPlaces(t *testing.T) {
	const text = "format = 1 # 时\nnames = [\n  \"a\", # one\n  \"b\",\n]\n\n[[chapter]]\nid = \"一\"\n\n[[chapter]]\nlock = \"x\"\nlevels = [\"p\", \"q\"]\nrules.times = 4\n" +
		"[chapter.rules]\nmoves = []\n[text.\"a b\"]\ntitle = '''t'''\n[text]\nc = { title = \"u\" }\n"
	for path, want := range map[string]string{
		"format": "1:10", "names[1]": "4:3", "chapter[0]": "7:3", "chapter[0].id": "8:6", "chapter[1].lock": "11:8", "chapter[1].levels[1]": "12:16",
		"chapter[1].rules.times": "13:15", "text.a b.title": "17:9", "text.c.title": "19:15", "nowhere": "1:1",
	} {
		var d data
		f := testkit.Must(ReadTOML("x.toml", []byte(strings.Replace(text, "[chapter.rules]\nmoves = []\n", "\n\n", 1)), &d))(t)
		if got := f.At(path, errors.New("no")).Error(); got != "x.toml:"+want+": no" {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"format = 1\nfromat = 2":                     `x.toml:2:1: "fromat" is not a key here; did you mean format?`,
		"[[chapter]]\nid = \"a\"\nlokc = \"b\"":      `x.toml:3:1: "lokc" is not a key here; did you mean lock?`,
		"[[chapter]]\nid = 1":                        `x.toml:2:6: chapter.id is of the wrong kind; use a text in quotes`,
		"format = \"1\"":                             `x.toml:1:10: format is of the wrong kind; use a whole number`,
		"names = \"a\"":                              `x.toml:1:9: names is of the wrong kind; use a list`,
		"[[chapter]]\nopen = 1":                      `x.toml:2:8: chapter.open is of the wrong kind; use true or false`,
		"a = 1\nformat = ":                           `x.toml:2:`,
		"format = 1\nformat = 2":                     `x.toml:2:1: it is not TOML`,
		"[[chapter]\n":                               `x.toml:1:`,
		"[text.a]\ntitel = \"b\"":                    `x.toml:2:1: "titel" is not a key here; did you mean title?`,
		"[txt]\na = 1":                               `x.toml:1:2: "txt" is not a key here; did you mean text?`,
		"\xff":                                       `x.toml:1:1: the file is not UTF-8`,
		"[[chapter]]\nid=\"a\"\n[chapter.ruls]\na=1": `x.toml:3:2: "ruls" is not a key here; did you mean rules?`,
	} {
		var d data
		_, err := ReadTOML("x.toml", []byte(text), &d)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestBounds: many keys, many unknown ones and deep nesting are looked at once.
func TestBounds(t *testing.T) {
	key := func(format string, n int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, format, i)
		}
		return all.String()
	}
	for name, c := range map[string]struct{ text, want string }{
		"keys":          {key("k%d = 1\n", maxKeys+1), "x.toml:4001:1: the file has more than 4000 keys and tables, and no more fit"},
		"tables":        {key("[text.k%d]\n", maxKeys+1), "x.toml:4001:2: the file has more than 4000 keys and tables, and no more fit"},
		"inline tables": {"format = 1\nx = [{" + strings.TrimSuffix(key("k%d = 1,", maxKeys), ",") + "}]", "x.toml:2:1: the file has more than 4000 keys and tables, and no more fit"},
		"unknown keys":  {key("k%d = 1\n", maxUnknown+1), "x.toml:20:1: "},
		"keys that fit": {"format = 1\n" + key("[text.k%d]\n", maxKeys-1), ""},
	} {
		var d data
		_, err := ReadTOML("x.toml", []byte(c.text), &d)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || strings.Contains(got, "x.toml:21:") {
			t.Errorf("%s: %.500s", name, got)
		}
	}
	var d struct{ Format int }
	f := testkit.Must(PeekTOML("x.toml", []byte("format = 1\nx"+strings.Repeat(".a", 200_000)+" = 1\ny = "+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)), &d))(t)
	size := 0
	for path := range f.places() {
		size += len(path)
	}
	if size > 300_000 {
		t.Errorf("the paths of nested values have %d bytes", size)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "a = 1", "[[chapter]]\nid = \"a\"\n", "names = [[1], {a = 1}]", "[a.b]\n[[a.c]]", "\ufeffformat = 1", "format = 1 # \xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d data
		file, err := ReadTOML("x", []byte(text), &d)
		if err != nil {
			return
		}
		for path := range file.places() {
			_ = file.At(path, errors.New("no")).Error()
		}
	})
}
