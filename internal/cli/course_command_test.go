package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// course makes a new course in a folder, and returns what else it takes to run a
// command in it.
func inNewCourse(t *testing.T) func(args ...string) (code int, out, errs string) {
	t.Helper()
	t.Chdir(t.TempDir())
	command := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	if code, _, errs := command("course", "new", "mine"); code != 0 {
		t.Fatal(errs)
	}
	return command
}

// TestBrokenCourses: one mistake each, found where it is.
func TestBrokenCourses(t *testing.T) {
	testkit.Single(t)
	const toml, story = "course.toml", "stories/the_late_release.txt"
	for _, tt := range []struct {
		name, file, old, new string
		code                 int
		want                 string
	}{
		{"format", toml, "format = 1 ", "format = 2 ", 2, "mine/course.toml:7:10: the course has format 2, which is newer than this program, which reads format 1"},
		{"lock", toml, `lock = "set-del"`, `lock = "sel-del"`, 2, `mine/course.toml:25:8: "sel-del" is not a lock; did you mean set-del`},
		{"command", story, "run B", "rnu B", 2, `mine/stories/the_late_release.txt:21:1: "rnu" is not a command; did you mean run`},
		{"answer", story, "removed A = B", "removed A = A", 1, "mine/stories/the_late_release.txt:30:1: the key says removed A = A, and the run says removed A = B"},
		{"output", story, "sold 1 of 2", "sold 2 of 2", 1, `mine/stories/the_late_release.txt:51:1: expected "sold 2 of 2", got "sold 1 of 2"`},
		{"dashes", story, "----\nset-del: A, B, C\n", "", 1, "mine/stories/the_late_release.txt:3:52: ---- and what comes is missing below the command"},
		{"par", "levels.toml", "par = 11", "par = 10", 1, "mine/levels.toml:13:7: par of sell-it-twice is 10, and the shortest way to its goal has 11 moves"},
		{"par of what cannot be", "levels.toml", `"lost-update"`, `"leak"`, 1, "par of sell-it-twice is 11, and nothing reaches its goal; use par = 0"},
		{"text", "prose/zh.toml", `title = "锁是关于时间的承诺"`, "", 1, "mine/prose/zh.toml:1:1: chapter.a-lock-is-a-promise.title is missing"},
		{"caption", story, "#zh A 醒来，释放锁。\n", "", 1, `the caption of "run A" is not there in the language zh`},
		{"question", story, "because-zh A \"A 自己的键已经随租约结束。\"\n", "", 1, "mine/stories/the_late_release.txt:30:1: the question or a reason is not there in the language zh"},
		{"breaks nothing", toml, `breaks = "the_late_release" `, `breaks = "one_set_takes_lock_and_ttl"`, 1, "mine/course.toml:27:10: one_set_takes_lock_and_ttl is to break set-del, and violates nothing"},
		{"does not work", toml, `"one_set_takes_lock_and_ttl"`, `"the_late_release"`, 1, "mine/course.toml:26:9: the_late_release is to show set-del at work, and violates phantom-hold"},
		{"fixes nothing", toml, `fix = "set-lua" `, `fix = "setnx"`, 2, ""},
		{"minutes", toml, "minutes = 30 ", "minutes = 31 ", 1, "the course has 31 minutes, and its chapters together have 30"},
		{"quotation", "prose/en.toml", `about = """
`, `about = """
> quoted

`, 1, "a quotation is not drawn; use paragraphs, lists, headings, bold, code and links"},
		{"link", "prose/en.toml", "(#a-lock-is-a-promise)", "(#a-lock-is-a-promse)", 1, `mine/prose/en.toml:24:9: the link "#a-lock-is-a-promse" leads to no chapter; did you mean a-lock-is-a-promise`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			command := inNewCourse(t)
			file := filepath.Join("mine", filepath.FromSlash(tt.file))
			text, err := os.ReadFile(file)
			if err != nil || strings.Count(string(text), tt.old) != 1 {
				t.Fatalf("%v: %d times %q", err, strings.Count(string(text), tt.old), tt.old)
			}
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), tt.old, tt.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out, errs := command("course", "check", "mine"); code != tt.code || !strings.Contains(filepath.ToSlash(out), tt.want) {
				t.Errorf("%d, want %d and %s\n%s%s", code, tt.code, tt.want, out, errs)
			}
		})
	}
}

// TestUpdateCourse writes what came of the stories, and nothing that is wrong else.
func TestUpdateCourse(t *testing.T) {
	command := inNewCourse(t)
	const file = "mine/stories/the_late_release.txt"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bare := strings.Replace(string(before), "----\nset-del: A, B, C\n", "", 1)
	if err := os.WriteFile(file, []byte(bare), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command("course", "check", "mine", "--update"); code != 0 || !strings.HasPrefix(out, "new  "+file) {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v %s", err, after)
	}
	if code, _, errs := command("course", "check", "locks", "--update"); code != 2 || !strings.Contains(errs, "--update writes into a folder") {
		t.Errorf("%d %s", code, errs)
	}
}
