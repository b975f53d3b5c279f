package export

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// sample is the story of the golden files: it asks, and is violated in several ways.
const sample = "a_late_del"

var played sync.Map // lessons by language and story: they are only read

func lessonOf(t *testing.T, name, lang string) *Lesson {
	t.Helper()
	if l, known := played.Load(lang + name); known {
		return l.(*Lesson)
	}
	story := testkit.Must(scenarios.Find(name))(t)
	result := testkit.Must(scenarios.Run(t.Context(), story))(t)
	l := testkit.Must(NewLesson(t.Context(), Told{Lang: lang}, story, result))(t)
	played.Store(lang+name, l)
	return l
}

// lessons are some stories, in both languages in turn, and with LOCKSTEP_RUNS=10 all of them in each.
func lessons(t *testing.T) (all []*Lesson) {
	t.Helper()
	stories := scenarios.Stories()
	type told struct{ name, lang string }
	var list []told
	for i, s := range stories {
		langs := prose.Languages()
		for n := range langs {
			list = append(list, told{s.Name, langs[(i+n)%len(langs)]})
		}
	}
	for _, one := range testkit.Some(t, list, 13, 4) {
		all = append(all, lessonOf(t, one.name, one.lang))
	}
	return all
}

func write(t *testing.T, f Format, o Options) []byte {
	t.Helper()
	text, err := f.Write(o)
	if err != nil {
		t.Fatalf("%s: %v", f.Ending, err)
	}
	return text
}

// TestSlideKeepsIndentation: on the slide of a step, each line of code stands as far to the
// right as its tabs say.
func TestSlideKeepsIndentation(t *testing.T) {
	svg := testkit.Must(lessonOf(t, sample, "en").SVG(Options{Step: 27}))(t)
	at := func(code string) string {
		m := regexp.MustCompile(`<text x="([0-9.]+)"[^>]*>` + regexp.QuoteMeta(code)).FindSubmatch(svg)
		if m == nil {
			t.Fatalf("no %q", code)
		}
		return string(m[1])
	}
	if outer, inner := at("func (l *SetDel) Unlock"), at("n, err := l.Redis.Del(ctx, l.Key).Result()"); outer != "830" || inner != "848.2" {
		t.Errorf("the function is at %s, its code at %s", outer, inner)
	}
}

// TestGolden: what is written is what was looked at.
func TestGolden(t *testing.T) {
	for _, f := range lessonOf(t, sample, "en").Formats() {
		file := filepath.Join("testdata", sample+f.Ending)
		got := write(t, f, Options{})
		if *update {
			testkit.OK(t, os.WriteFile(file, got, 0o644))
		}
		want := testkit.Must(os.ReadFile(file))(t)
		if string(got) != string(want) {
			t.Errorf("%s is not as it was; look at it, and then: go test ./internal/export -update", file)
		}
	}
}

// TestLooks: the space-time diagrams of docs/ are those that export draws, and that of the
// front page shows a violation.
func TestLooks(t *testing.T) {
	for name, dark := range map[string]bool{"looks/diagram_light": false, "looks/diagram_dark": true, "violation": false, "violation_dark": true} {
		l, o := lessonOf(t, sample, "en"), Options{Dark: dark}
		if strings.HasPrefix(name, "violation") {
			l = lessonOf(t, told, "en")
			o.Step = l.Violations[0].Step
		}
		got := testkit.Must(l.SVG(o))(t)
		file := filepath.Join("..", "..", "docs", name+".svg")
		if *update {
			testkit.OK(t, os.WriteFile(file, got, 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || string(got) != string(want) {
			t.Errorf("%s is not as it was, %v; look at it, and then: go test ./internal/export -update", file, err)
		}
	}
}

// hostile are texts that would be more than text if they left their place.
var hostile = []string{
	`<script>pwned=1</script>`, `"><img src=x onerror=pwned=1>`, `' onmouseover='pwned=1`, `</script><script>pwned=1</script>`,
	`<!-- --><svg onload=pwned=1>`, `]]></text><script>pwned=1</script>`, `</style><img src=x onerror=pwned=1>`, `{{.}}${pwned=1}`,
	"```\n`x` | y | **z**\n\n# heading", `[x](javascript:pwned=1)`, `![x](http://127.0.0.1/x.png)`, "1. one\n- two\n> three", `<javascript:pwned=1>`,
	"end\n    deactivate l0\nend", `; participant evil as "x"`, `%%{init: {"securityLevel": "loose"}}%%`, `wrap: #35; loop x`, `&lt;b&gt; &amp; \u003cb\u003e`,
	"\x1b[31m\x07\x00\u202egnp", `\", "o", "x"]`, `A->>B: x`, `http://127.0.0.1/y www.example.org a@b.c`, `~~x~~ $x$ \(y\)`, `constructor __proto__`,
}

// hostileLesson is a real lesson with every text in it made hostile, in all ways at
// once.
func hostileLesson(t *testing.T) *Lesson {
	t.Helper()
	l := *lessonOf(t, sample, "en")
	poison(reflect.ValueOf(&l).Elem(), func(s string) string { return strings.Join(hostile, " ") + " " + s })
	return &l
}

// poison goes through all that is exported.
func poison(v reflect.Value, evil func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() != "" {
			v.SetString(evil(v.String()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i), evil)
			}
		}
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		for i := range v.Len() {
			poison(v.Index(i), evil)
		}
	}
}

// visible is what a hostile text shows once what cannot be seen is left out.
func visible(s string) string { return strings.Join(strings.Fields(oneLine(s)), " ") }
