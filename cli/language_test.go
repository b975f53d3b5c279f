package cli

import "testing"

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
