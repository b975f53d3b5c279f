package course

import (
	"archive/zip"
	"bytes"
	"testing"

	"lockstep/internal/testkit"
)

// FuzzRead: whatever course.toml, levels.toml and a text are, reading ends without a
// panic, and a course without a mistake can be asked for what it says.
func FuzzRead(f *testing.F) {
	files := small(nil)
	f.Add(string(files["course.toml"].Data), string(files["levels.toml"].Data), string(files["prose/en.toml"].Data))
	f.Add("format = 1\nid = \"a\"\nlanguages = [\"en\"]\nchapter = [{ id = \"b\", levels = [\"c\"] }]", "", "title = 1")
	f.Add("format = 2", "level = []", "[chapter]")
	f.Fuzz(func(_ *testing.T, toml, levels, prose string) {
		files := small(map[string]string{"course.toml": toml + " ", "levels.toml": levels, "prose/en.toml": prose})
		c, err := Read(files, "x")
		if err != nil {
			_ = err.Error()
			return
		}
		for _, ch := range c.Chapters {
			_, _, _ = c.Text("zh", ch.ID), ch.Levels(), ch.Plays()
		}
		_ = c.mistakes(prose)
	})
}

// FuzzZip: whatever is in a zip, nothing panics, and nothing is taken from outside.
func FuzzZip(f *testing.F) {
	f.Add(zipped(f, map[string]string{"course.toml": "format = 1"}))
	f.Add(zipped(f, map[string]string{"a/course.toml": "format = 1", "__MACOSX/a": ""}))
	f.Add(zipped(f, map[string]string{"../course.toml": "format = 1"}))
	f.Add([]byte("PK"))
	f.Fuzz(func(_ *testing.T, packed []byte) {
		files, err := Zip(packed)
		if err != nil {
			return
		}
		_, err = Read(files, "x.zip")
		if err != nil {
			_ = err.Error()
		}
	})
}

func zipped(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f := testkit.Must(w.Create(name))(t)
		testkit.Must(f.Write([]byte(text)))(t)
	}
	testkit.OK(t, w.Close())
	return b.Bytes()
}

// TestZip: a zip of a folder, or with the folder in it, is read; one that leads out
// of it, or is none, is not.
func TestZip(t *testing.T) {
	testkit.Single(t)
	top, inside := map[string]string{}, map[string]string{"__MACOSX/x": ""}
	for name, f := range small(nil) {
		top[name], inside["mine/"+name] = string(f.Data), string(f.Data)
	}
	for name, packed := range map[string][]byte{"top": zipped(t, top), "a folder": zipped(t, inside)} {
		files := testkit.Must(Zip(packed))(t)
		if c, err := Read(files, "x.zip"); err != nil || c.ID != "small" {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge := map[string]string{}
	for i := range maxEntries + 1 {
		huge[string(rune('a'+i%26))+string(rune(0x4e00+i))] = ""
	}
	for _, c := range []struct {
		packed []byte
		want   string
	}{
		{[]byte("no zip"), "it is not a zip of a course"},
		{zipped(t, map[string]string{"../course.toml": ""}), `the zip's entry "../course.toml" leads out of its folder`},
		{zipped(t, map[string]string{"/etc/passwd": ""}), "leads out of its folder"},
		{zipped(t, map[string]string{`a\b`: ""}), "leads out of its folder"},
		{zipped(t, huge), "the zip has 2001 entries; at most 2000 fit"},
	} {
		if _, err := Zip(c.packed); err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	bomb := zipped(t, map[string]string{"course.toml": string(bytes.Repeat([]byte("#"), 50<<20))})
	files := testkit.Must(Zip(bomb))(t)
	if _, err := Read(files, "x.zip"); err == nil || !bytes.Contains([]byte(err.Error()), []byte("the file is longer than")) {
		t.Errorf("%d bytes of zip with 50 MiB in it: %v", len(bomb), err)
	}
}
