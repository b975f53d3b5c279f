package cli

import (
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "zh"},
		{map[string]string{"LANG": "zh_TW.Big5@radical"}, "zh"},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"},
		{map[string]string{"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh"}, "zh"},
		{map[string]string{"LANG": "de_DE.UTF-8"}, "en"},
		{map[string]string{"LANG": "POSIX"}, "en"},
		{map[string]string{"LANG": "_"}, "en"},
	} {
		if got := languageOf(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %s, not %s", c.env, got, c.want)
		}
	}
}

func TestSpoken(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "en",
		"explore --lang zh --help":  "zh",
		"--lang=zh_CN help explore": "zh",
		"--lang zh list --lang en":  "en",
		"--lang zh --lang de":       "zh", // which is a mistake, to be told of in a language that was meant
		"run -- --lang zh":          "en",
		"list --lang":               "en",
		"list --language zh":        "en",
	} {
		if got := spoken(strings.Fields(line), "en"); got != want {
			t.Errorf("%q: %s, not %s", line, got, want)
		}
	}
}
