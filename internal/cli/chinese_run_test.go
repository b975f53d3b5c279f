package cli

import (
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chinese"
	"lockstep/scenarios"
)

// TestChineseRuns: no story is told in English to whoever reads Chinese.
func TestChineseRuns(t *testing.T) {
	testkit.Single(t)
	stories := scenarios.Stories()
	book := prose.Load("zh")
	for _, s := range testkit.Some(t, stories, 15, 15) {
		code, out, errs := lockstep(t.Context(), "run", "--plain", "--lang", "zh", s.Name)
		if code != 0 || errs != "" {
			t.Fatalf("%s: exit %d, %s", s.Name, code, errs)
		}
		lines := strings.Split(out, "\n")
		if lines[0] != s.Title(book) {
			t.Errorf("%s begins with %q", s.Name, lines[0])
		}
		for _, line := range lines[1:] {
			for _, quoted := range []string{"命令：", "回放码：", "这里做不了：", "出错：", "出错（", "结果未知：", "它的键还在：", "的释放失败："} {
				line, _, _ = strings.Cut(line, quoted) // a command of a story, a token, or what a lock's code says
			}
			if left := chinese.Latin(line, s.Name, "in-critical"); len(left) > 0 {
				t.Errorf("%s: %q in %s", s.Name, left, line)
			}
			if wrong := chinese.Punctuation(line); len(wrong) > 0 {
				t.Errorf("%s: %q in %s", s.Name, wrong, line)
			}
		}
	}
}
