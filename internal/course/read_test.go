package course

import (
	"fmt"
	"lockstep/internal/lang"
	"lockstep/internal/testkit"
	"strings"
	"testing"
	"testing/fstest"
)

// small is the files of a course, changed as a test needs; a file without a text is
// left out.
func small(changed map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"course.toml": "format = 1\nid = \"small\"\nlanguages = [\"en\", \"zh\"]\n\n[[chapter]]\nid = \"one\"\nlock = \"set-del\"\nbreaks = \"mine\"\nfix = \"set-lua\"\n" +
			"hazard = \"overrun\"\ngoal = \"foreign-release\"\nexercise = \"set-del\"\n\n[[chapter]]\nid = \"two\"\nstories = [\"mine\", \"a_late_del\"]\nlevels = [\"own\", \"setnx/crash/lock-recovers\"]\nkind = \"extra\"\nminutes = 5\n",
		"levels.toml":      "[[level]]\nid = \"own\"\nlock = \"set-del\"\ngoal = \"lost-update\"\ntimes = 2\npar = 11\n",
		"stories/mine.txt": mine,
		"prose/en.toml":    "title = \"Small\"\nabout = \"It is small.\"\n[chapter.one]\nafter = \"Nobody.\"\n[chapter.two]\ntitle = \"Two\"\nabout = \"The second.\"\n[level.own]\nname = \"Own\"\ngoal = \"Try.\"\n",
		"prose/zh.toml":    "title = \"小\"\nabout = \"小课程。\"\n[chapter.one]\nafter = \"没有人。\"\n[chapter.two]\ntitle = \"二\"\nabout = \"第二章。\"\n[level.own]\nname = \"自己的\"\ngoal = \"试试。\"\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range changed {
		if files[name] = (&fstest.MapFile{Data: []byte(text)}); text == "" {
			delete(files, name)
		}
	}
	return files
}

// mine is a story of one's own, without the output that is to come.
const mine = "# A takes the lock.\n#zh A 加锁。\nworld strategy=set-del clients=A,B ttl=2s\n----\nset-del: A, B\n\nrun A\n----\n"

// edit is a file of the small course with some text changed.
func edit(t *testing.T, name, old, by string) map[string]string {
	t.Helper()
	text := string(small(nil)[name].Data)
	if strings.Count(text, old) != 1 {
		t.Fatalf("%s has %d times %q", name, strings.Count(text, old), old)
	}
	return map[string]string{name: strings.Replace(text, old, by, 1)}
}

func TestRead(t *testing.T) {
	c := testkit.Must(Read(small(nil), "x"))(t)
	one, two := &c.Chapters[0], &c.Chapters[1]
	if one.Breaks == nil || one.Breaks.Name != "mine" || two.Stories[1].Name != "a_late_del" || two.Kind != Extra || one.Kind != Core {
		t.Errorf("%+v", c.Chapters)
	}
	if got := strings.Join(append(one.Levels(), two.Levels()...), " "); got != "set-del/overrun/foreign-release set-lua/overrun/foreign-release own setnx/crash/lock-recovers" {
		t.Errorf("levels %s", got)
	}
	if c.Title("zh") != "小" || c.Title("de") != "Small" || c.Text("zh", "two").Title != "二" || c.Levels[0].Texts["zh"].Name != "自己的" {
		t.Errorf("%s %s %+v", c.Title("zh"), c.Title("de"), c.Levels[0].Texts)
	}
}

// TestTextsFallBack: field by field, to English or else to the first language.
func TestTextsFallBack(t *testing.T) {
	c, err := Read(small(edit(t, "prose/zh.toml", "about = \"小课程。\"\n", "")), "x")
	if err != nil || c.About("zh") != "It is small." || c.Title("zh") != "小" {
		t.Errorf("%v %q %q", err, c.About("zh"), c.Title("zh"))
	}
	c, err = Read(small(edit(t, "course.toml", `["en", "zh"]`, `["zh"]`)), "x")
	if err != nil || c.About("en") != "小课程。" {
		t.Errorf("%v %q", err, c.About("en"))
	}
}

// TestMuchTogether: files that fit each, and not all of them together.
func TestMuchTogether(t *testing.T) {
	files := map[string]string{}
	for i := range 9 { // each has a byte less than a file may have
		files[fmt.Sprintf("prose/%c%c.toml", 'a', 'a'+i)] = strings.Repeat("#", maxText-1)
	}
	files["course.toml"] = "format = 1\nid = \"a\"\nlanguages = [\"aa\", \"ab\", \"ac\", \"ad\", \"ae\", \"af\", \"ag\", \"ah\", \"ai\"]\n[[chapter]]\nid = \"a\"\n"
	if _, err := Read(small(files), "x"); err == nil || !strings.Contains(err.Error(), "x/prose/ah.toml:1:1: the course's files have more than 8388608 bytes together, and no more fit") {
		t.Error(err)
	}
}

// TestMistakesQuoteLittle, and there are not arbitrarily many of them.
func TestMistakesQuoteLittle(t *testing.T) {
	long := strings.Repeat("x", maxText/2)
	for name, changed := range map[string]map[string]string{
		"an id":   edit(t, "course.toml", `"small"`, `"`+long+`"`),
		"a key":   edit(t, "course.toml", "kind =", long+" ="),
		"a lock":  edit(t, "course.toml", "lock = \"set-del\"", `lock = "`+long+`"`),
		"a story": edit(t, "course.toml", "a_late_del", long),
		"chapters": {"prose/en.toml": string(small(nil)["prose/en.toml"].Data) + func() (all string) {
			for i := range maxMistakes + 10 {
				all += fmt.Sprintf("[chapter.x%d]\n", i)
			}
			return all
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(small(changed), "x")
			if wrong := lang.Each(err); err == nil || len(wrong) > maxMistakes || len(err.Error()) > 100*len(wrong)+1000 {
				t.Errorf("%d mistakes in %d bytes", len(wrong), len(fmt.Sprint(err)))
			}
		})
	}
}

// TestMistakes: each is said with its place and with what would fit.
func TestMistakes(t *testing.T) {
	const toml, en = "course.toml", "prose/en.toml"
	for _, tt := range []struct {
		name, file string
		old, by    string // of the file's text; all of it for ""
		want       string
	}{
		{"no course", toml, "", "", "x has no course.toml, and so is not a course; lockstep course new makes one"},
		{"no format", toml, "format = 1\n", "", "x/course.toml:1:1: format is missing; use for example format = 1"},
		{"newer", toml, "format = 1\n", "format = 2\nsize = 3\n", "x/course.toml:1:10: the course has format 2, which is newer than this program"},
		{"older", toml, "format = 1\n", "format = -1\n", "x/course.toml:1:10: the course has format -1, which there is not"},
		{"unknown key", toml, "breaks =", "break =", `x/course.toml:8:1: "break" is not a key here; did you mean breaks`},
		{"no TOML", toml, "[[chapter]]\nid = \"two\"", "[[chapter]\nid = \"two\"", "x/course.toml:14:"},
		{"kind of value", toml, "minutes = 5", "minutes = \"5\"", "x/course.toml:19:11: chapter.minutes is of the wrong kind; use a whole number"},
		{"id", toml, `"small"`, `"Small!"`, `x/course.toml:2:6: "Small!" is not an id`},
		{"no id", toml, "id = \"two\"\n", "", "x/course.toml:14:3: id is missing"},
		{"one id twice", toml, `"two"`, `"one"`, `x/course.toml:15:6: there are two chapters "one"`},
		{"language", toml, `"zh"`, `"中文"`, `x/course.toml:3:20: "中文" is not a language`},
		{"language without texts", toml, `"zh"`, `"de"`, "x/course.toml:3:20: there is no x/prose/de.toml"},
		{"lock", toml, `lock = "set-del"`, `lock = "set-dell"`, `x/course.toml:7:8: "set-dell" is not a lock; did you mean set-del`},
		{"fix", toml, `fix = "set-lua"`, `fix = "lua"`, `x/course.toml:9:7: "lua" is not a lock; did you mean set-lua, watchdog-lua`},
		{"story", toml, `"a_late_del"`, `"a_late_dle"`, `x/course.toml:16:20: "a_late_dle" is not a story of stories or of the library; did you mean a_late_del`},
		{"story that cannot be read", "stories/mine.txt", "", "wrold strategy=set-del\n", `x/stories/mine.txt:1:1: "wrold" is not a command; did you mean world`},
		{"works without a lock", toml, `kind = "extra"`, `works = "mine"`, "x/course.toml:18:9: works goes with lock, which is missing"},
		{"fix without breaks", toml, "breaks = \"mine\"\n", "", "x/course.toml:8:7: fix goes with breaks, which is missing"},
		{"goal without hazard", toml, "hazard = \"overrun\"\n", "", "x/course.toml:10:8: goal goes with hazard, which is missing"},
		{"hazard", toml, `"overrun"`, `"overun"`, `x/course.toml:10:10: "overun" is not a hazard; did you mean overrun`},
		{"goal", toml, `"foreign-release"`, `"foreign-relaese"`, `x/course.toml:11:8: "foreign-relaese" is not an invariant; did you mean foreign-release, foreign-renewal`},
		{"nothing proved", toml, `"foreign-release"`, `"leak"`, "x/course.toml:11:8: nothing is proved of set-del/overrun/leak; use a level of one's own in levels.toml"},
		{"level", toml, `"own"`, `"owm"`, `x/course.toml:17:11: "owm" is not a level of levels.toml or a proved one; did you mean own`},
		{"kind", toml, `"extra"`, `"optional"`, `x/course.toml:18:8: "optional" is not a kind of chapter; use core, extra`},
		{"exercise", toml, `exercise = "set-del"`, `exercise = "set-lua"`, "x/course.toml:12:12: there is no exercise of set-lua"},
		{"minutes", toml, "minutes = 5", "minutes = -5", "x/course.toml:19:11: no number is negative"},
		{"a level's lock", "levels.toml", `"set-del"`, `"set-de"`, `x/levels.toml:3:8: "set-de" is not a lock; did you mean set-del`},
		{"a text of no chapter", en, "[chapter.two]", "[chapter.tow]", `x/prose/en.toml:5:2: "tow" is not a chapter of course.toml; did you mean two`},
		{"a text of a level, and no levels", "levels.toml", "", "# none\n", `x/course.toml:17:11: "own" is not a level of levels.toml or a proved one`},
		{"a text of no level", en, "[level.own]", "[level.owl]", `x/prose/en.toml:8:2: "owl" is not a level of levels.toml; did you mean own`},
		{"a text that there is not", en, "after =", "afetr =", `x/prose/en.toml:4:1: "afetr" is not a key here; did you mean after`},
		{"a huge file", en, "", strings.Repeat("#", maxText+1), "x/prose/en.toml:1:1: the file is longer than"},
		{"a huge story", "stories/mine.txt", "", strings.Repeat("#", maxText), "x/stories/mine.txt:1:1: the file is longer than"},
		{"many chapters", toml, "", "format = 1\nid = \"a\"\nlanguages = [\"en\"]\n" + strings.Repeat("[[chapter]]\nid = \"a\"\n", maxChapters+1), "201 chapters are too many"},
		{"many languages", toml, `"zh"]`, `"zh"` + strings.Repeat(`, "de"`, maxLanguages) + "]", "x/course.toml:3:1: 42 languages are too many; at most 40 fit"},
		{"many minutes", toml, "minutes = 5", "minutes = 10001", "x/course.toml:19:11: 10001 minutes are too many; at most 10000 fit"},
		{"many stories of a chapter", toml, `["mine", "a_late_del"]`, `["mine"` + strings.Repeat(`, "mine"`, maxNamed) + "]", "x/course.toml:16:1: the list has 101 entries; at most 100 fit"},
		{"many levels of a chapter", toml, `["own", `, `["own"` + strings.Repeat(`, "own"`, maxNamed) + ", ", "x/course.toml:17:1: the list has 102 entries; at most 100 fit"},
		{"a long title", en, `"Two"`, `"` + strings.Repeat("时", maxTitle+1) + `"`, "x/prose/en.toml:6:9: chapter.two.title has 201 characters; at most 200 fit"},
		{"a level's long name", en, `"Own"`, `"` + strings.Repeat("o", maxTitle+1) + `"`, "x/prose/en.toml:9:8: level.own.name has 201 characters; at most 200 fit"},
		{"a long text", en, `"The second."`, `"` + strings.Repeat("x", maxSaid+1) + `"`, "x/prose/en.toml:7:9: chapter.two.about has 20001 characters; at most 20000 fit"},
		{"a level's long id", "levels.toml", `"own"`, `"` + strings.Repeat("o", 101) + `"`, "has 101 bytes; at most 100 fit"},
		{"no reason", "levels.toml", "par = 11", "par = 11\nwhy = 10", "x/levels.toml:7:7: there is no reason 10; there are 1 to 9"},
		{"a negative reason", "levels.toml", "par = 11", "why = -1", "x/levels.toml:6:7: there is no reason -1; there are 1 to 9"},
		{"many levels", "levels.toml", "", strings.Repeat("[[level]]\nid = \"a\"\n", 101), "x/levels.toml:201:3: 101 levels are too many; at most 100 fit"},
		{"no chapter", toml, "", "format = 1\nid = \"a\"\nlanguages = [\"en\"]\n", "the course has no chapter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := map[string]string{tt.file: tt.by}
			if tt.old != "" {
				changed = edit(t, tt.file, tt.old, tt.by)
			}
			if _, err := Read(small(changed), "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := Read(small(map[string]string{"stories/mine.txt": "", "stories": "text"}), "x"); err == nil || !strings.Contains(err.Error(), "x/stories: ") {
		t.Errorf("stories that are no folder: %v", err)
	}
}
