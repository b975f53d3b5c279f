package pages

import (
	"regexp"
	"testing"
)

// TestBrowserNamesNoKey: a browser has buttons, and reads of buttons. Help, questions, a level and
// its solution, a token and an asked reset say what to do next.
func TestBrowserNamesNoKey(t *testing.T) {
	aKey := regexp.MustCompile(`(?i)\b(press|pick|with|again) [b-z?]\b|\b(enter|esc|space|pgdown|home/g|right/l)\b (goes|opens|shows|to)|: [a-z] shows|\[[0-9a-z]\]|回车|按 ?[a-zA-Z]\b|右键|左键`)
	for _, lang := range []string{"en", "zh"} {
		for name, keys := range waysOf("touch") {

			m := start(t, Options{Browser: true, Lang: lang}, 100, 30)
			press(m, keys...)
			f := m.Frame()
			lines := []string{f.Status[0], f.Status[1], f.Notice}
			for _, s := range f.Sections {
				for _, l := range s.Lines {
					if s.Kind != CodeSection && s.Kind != StateSection && s.Kind != KeysSection {
						lines = append(lines, l.Text())
					}
				}
			}
			for _, line := range lines {
				if found := aKey.FindString(line); found != "" {
					t.Errorf("%s, %s: %q names a key: %q", lang, name, line, found)
				}
			}
		}
	}
}

// TestOneButtonForEachEffect: in a talk no two buttons are alike.
func TestOneButtonForEachEffect(t *testing.T) {
	m := start(t, Options{Browser: true, Present: true}, 100, 30)
	press(m, "enter", "pgdown", "pgdown")
	seen := map[string]bool{}
	for _, k := range m.Frame().Keys {
		if k.Off {
			continue
		}
		if seen[k.Does] {
			t.Errorf("two buttons say %q", k.Does)
		}
		seen[k.Does] = true
	}
	if seen["chapter by number"] {
		t.Errorf("a button for numbers: %v", seen)
	}
}
