package render

import (
	"strings"
	"testing"
)

// TestWrapHan: text without blanks is broken between any two characters, but
// no line begins with what closes a sentence, and nothing is lost.
func TestWrapHan(t *testing.T) {
	const text = "工作方式 带 NX 和 PX 的 SET 存入随机令牌和 TTL。Lua 脚本只在键里仍是这个令牌时才删除；Redis 把 averyveryverylongword 作为一步执行，不会被打断。"
	for w := 2; w < 90; w++ {
		lines := WrapText(text, w)
		fits(t, Texts(lines...), w)
		if strip := strings.ReplaceAll(text, " ", ""); strings.ReplaceAll(strings.Join(lines, ""), " ", "") != strip {
			t.Errorf("at %d cells: %q", w, lines)
		}
		for _, line := range lines {
			if w >= 6 && strings.ContainsAny(line[:min(3, len(line))], "，。；") {
				t.Errorf("at %d cells a line begins with %q", w, line)
			}
		}
	}
	if got := WrapText("承诺 SETNX 只会让一个客户端成功", 20); len(got) != 2 || got[0] != "承诺 SETNX 只会让一" {
		t.Errorf("%q", got)
	}
}

// TestWrapNames: a name or a flag is not broken at its hyphens while it fits.
func TestWrapNames(t *testing.T) {
	for _, text := range []string{"and with --walk shows set-del here, step by step", "加上 --walk 就在这里显示 set-del 这把锁"} {
		for w := 12; w < 50; w++ {
			joined := strings.Join(WrapText(text, w), "\n")
			if !strings.Contains(joined, "--walk") || !strings.Contains(joined, "set-del") {
				t.Errorf("at %d cells:\n%s", w, joined)
			}
		}
	}
}

// TestWidth: a text takes as many cells as its terminal gives it.
func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "set-del": 7, "锁": 2, "▸ A 锁 ok": 9, "e\u0301": 1, "\x1b[1mbold\x1b[0m": 4, "a\tb": 2} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d cells, want %d", text, got, want)
		}
	}
}

// TestSpoilers: while the fault is to be guessed, nothing in the source tells of it.
func TestSpoilers(t *testing.T) {
	text := strings.Join([]string{
		"package x", "// T locks.", "//", "// Claim:  \"It excludes.\"", "// Breaks: a crash", "//         leaves the key.", "// See:    stories/a.txt",
		"// Fix:    b", "type T struct{}", "", "func (t T) Lock() {", "\t// BUG(lesson): here.", "\treturn", "}",
	}, "\n")
	for guess, want := range map[bool]int{true: 9, false: 14} {
		var drawn []string
		for _, l := range themed(true).Source(Code{Text: text, Guess: guess}, 60, 40) {
			drawn = append(drawn, l.Text())
		}
		all := strings.Join(drawn, "\n")
		for _, spoiler := range []string{"Breaks", "leaves the key", "stories/", "Fix", "BUG"} {
			if strings.Contains(all, spoiler) == guess {
				t.Errorf("guess %t, and %q in\n%s", guess, spoiler, all)
			}
		}
		if len(drawn) != want || !strings.Contains(all, "Claim") {
			t.Errorf("guess %t has %d lines\n%s", guess, len(drawn), all)
		}
	}
}

// TestSourceBeginsWithALine: a window of any height begins with a numbered line, not with
// the rest of a comment that was wrapped, and shows the line that is lit.
func TestSourceBeginsWithALine(t *testing.T) {
	text := strings.Join([]string{"package x", "", "func f() {", "\t// a comment that is longer than the pane is wide", "\tlock()", "\treturn", "}"}, "\n")
	for h := 1; h < 9; h++ {
		lines := themed(true).Source(Code{Text: text, Line: 5, Lit: true}, 40, h)
		if first := lines[0].Text(); !strings.ContainsAny(first, "1234567") {
			t.Errorf("%d lines begin with %q", h, first)
		}
		shown := false
		for _, l := range lines {
			shown = shown || strings.Contains(l.Text(), "lock()")
		}
		if !shown {
			t.Errorf("%d lines do not show the line that is lit", h)
		}
	}
}
