package workshop

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"  Ada \t Lovelace\n":              "Ada Lovelace",
		"<script>alert(1)</script>":        "<script>alert(1)</script>", // the pages show text as text
		"a\u202Eb\u200Bc\u2066d\uFEFFe":    "abcde",
		"a\x00b\x1bc\u0085d":               "abc d",
		"e\u0301":                          "é",
		">\x18\u0338e\u200b\u0301":         "≯é",
		"z\u0323\u0324\u0325\u0330\u0331":  "ẓ\u0324\u0325",
		"\u0301\u0302":                     "",
		"李雷":                               "李雷",
		"👩🏽":                               "👩🏽",
		"👨\u200d👩\u200d👧":                  "👨\u200d👩\u200d👧", // a family, one sign
		"❤\ufe0f\u200d🔥":                   "❤\ufe0f\u200d🔥",
		"می\u200cخواهم":                    "می\u200cخواهم", // Persian parts a word so
		"श्री\u200dमान":                    "श्री\u200dमान",
		"A\u200dda":                        "Ada", // or two would look the same
		"\u200d李\u200d\u200c\u200d雷\u200d": "李\u200d雷",
		"李\u200d 雷":                        "李 雷",
		"\u200d\u200c":                     "",
		"\u3164\u115f\u2800":               "",
		"\xff\xfeok":                       "ok",
		strings.Repeat("x", 100):           strings.Repeat("x", 40),
		"\ue000private":                    "private",
	} {
		if got := clean(in, maxName); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for _, lang := range prose.Languages() {
		if name := invent(lang); len(name) < 6 || clean(name, maxName) != name || strings.Contains(name, ",") || strings.Contains(name, " ") != (lang == "en") {
			t.Errorf("%s: %q", lang, name)
		}
	}
}

// TestQR: the code for a terminal has the modules of the picture, in a light border.
func TestQR(t *testing.T) {
	const text = "http://192.168.1.20:8067/"
	_, dark, err := modules(text)
	testkit.OK(t, err)
	for _, onLight := range []bool{false, true} {
		text := testkit.Must(QR(text, onLight))(t)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for y := -2; y < 2*len(lines)-2; y++ {
			row := []rune(lines[(y+2)/2])
			for x := -2; x < len(row)-2; x++ {
				drawn := map[rune][2]bool{'█': {true, true}, '▀': {true, false}, '▄': {false, true}, ' ': {}}[row[x+2]][(y+2)%2]
				if dark := dark(x, y); drawn != (dark == onLight) {
					t.Fatalf("module %d,%d is drawn: %t, dark: %t, on light: %t", x, y, drawn, dark, onLight)
				}
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, text := range []string{"Ada\u202E", ">\x18\u0338", "李\u200d雷"} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, in string, most int) {
		most = 1 + (most&0x7fffffff)%100
		got := clean(in, most)
		if n := utf8.RuneCountInString(got); !utf8.ValidString(got) || n > most+1 || strings.TrimSpace(got) != got && n <= most {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Join_Control, r) {
				t.Errorf("%q has %q", got, r)
			}
		}
		if again := clean(got, most); again != got && utf8.RuneCountInString(got) < most {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}
