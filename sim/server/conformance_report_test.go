package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/resp"
)

// sides names the two sides of a comparison.
type sides struct{ this, that string }

// differ returns a transcript of the script to the first different reply; "" if
// there is none.
func (s sides) differ(script []line, this, that []string) string {
	for i := range script {
		if this[i] != that[i] {
			return s.transcript(script[:i+1], this, that)
		}
	}
	return ""
}

// transcript prints both sides like redis-cli.
func (s sides) transcript(script []line, this, that []string) string {
	var b strings.Builder
	now := start
	for i, l := range script {
		if len(l.cmds) == 0 {
			fmt.Fprintf(&b, "# time %v -> %v\n", now, l.at)
			now = l.at
			continue
		}
		these, those := this[i], that[i]
		for _, cmd := range l.cmds {
			quoted := make([]string, len(cmd))
			for j, word := range cmd {
				if quoted[j] = word; word == "" || strings.ContainsAny(word, " \"'\n") || resp.Printable(word) != word {
					quoted[j] = strconv.Quote(word)
				}
			}
			var a, o string
			a, these = cut(these)
			o, those = cut(those)
			fmt.Fprintf(&b, "%c> %s\n  %-6s %s\n", 'A'+rune(l.conn), strings.Join(quoted, " "), s.this, replyText([]byte(a)))
			if a != o {
				fmt.Fprintf(&b, "  %-6s %s\n", s.that, replyText([]byte(o)))
			}
		}
	}
	return b.String()
}

// cut splits off the first reply.
func cut(replies string) (one, rest string) {
	_, n := replyPart([]byte(replies))
	return replies[:n], replies[n:]
}

// shrink removes lines, and commands of them, while a script still differs.
func shrink[L any](script []L, cmds func(*L) *[][]string, differs func([]L) bool) []L {
	for smaller := true; smaller; {
		smaller = false
		for i := len(script) - 1; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(script), i, i+1); differs(less) {
				script, smaller = less, true
				continue
			}
			for j := len(*cmds(&script[i])) - 1; j >= 0 && len(*cmds(&script[i])) > 1; j-- {
				less := slices.Clone(script)
				*cmds(&less[i]) = slices.Delete(slices.Clone(*cmds(&less[i])), j, j+1)
				if differs(less) {
					script, smaller = less, true
				}
			}
		}
	}
	return script
}
